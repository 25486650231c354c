"""Why a row has no fingerprint, as the column `reason` shows it."""

NO_TOKEN = "no token"
NULL_TEXT = "the text is null"
NULL_ID = "the id is null"
