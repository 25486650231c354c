"""Reasons why a row has no fingerprint: values of the column `reason`."""

NO_TOKEN = "no token"
NULL_TEXT = "the text is null"
NULL_ID = "the id is null"
INVALID_ID = "the id is not a valid value of its type, such as a string that is not UTF-8"
