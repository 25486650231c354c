"""Why a row has no fingerprint, in the words of the column `reason`."""

NO_TOKEN = "no token"
NULL_TEXT = "the text is null"
NULL_ID = "the id is null"
