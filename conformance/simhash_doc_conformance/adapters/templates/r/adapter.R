# A simhash-doc conformance adapter: requests on standard input, answers on standard output, one per line.

library(jsonlite)

NAME <- "my-simhash"
VERSION <- "0.1"
UNICODE <- "15.0" # of the NFC that the implementation uses; of stringi: stringi::stri_info()$Unicode.version
SCHEMES <- list("sd64")

# ---- Plug in here ------------------------------------------------------------------------------
# An operation takes a request and returns the members of the answer: list(result = ...),
# list(error = "spare-bits") with a name of section 14, or list(unsupported = TRUE). The operations
# listed here are declared to the runner.
# The result of `decode` is {"scheme": "sd64", "hex": "880881b875821e62", "canonical": true}.
# A text without a token gives {"error": "no-token"}, an unknown scheme {"error": "unknown-scheme"}.
# A vector of length 1 becomes a single value. Where the protocol has an array, return a list: as.list(tokens).
operations <- list(
  # encode = function(request) list(result = my_encode(request$hex, request$scheme, request$canonical)),
  # decode = function(request) my_decode(request$text, request$scheme),
  # fingerprint = function(request) list(result = my_fingerprint(text_of(request), request$scheme)),
  NULL
)
operations <- Filter(Negate(is.null), operations)

# The input of a request: a text, or the bytes of a document (supporting them is optional).
text_of <- function(request) {
  if (!is.null(request$text)) return(request$text)
  at <- seq(1, length.out = nchar(request$bytes) / 2, by = 2)
  as.raw(strtoi(substring(request$bytes, at, at + 1), 16L))
}

# ---- The protocol ------------------------------------------------------------------------------
# Strings of R cannot hold U+0000. Another control character stands for it, which every step treats alike.
NUL <- "(?<!\\\\)((?:\\\\\\\\)*)\\\\u0000"

stand_in <- function(line) {
  escapes <- sprintf("\\u%04x", c(1:7, 14:31))
  free <- escapes[!vapply(escapes, grepl, logical(1), x = line, fixed = TRUE, useBytes = TRUE)]
  if (length(free)) free[1] else escapes[1]
}

answer <- function(request) {
  if (request$op == "hello") {
    return(list(
      protocol = 1L, name = NAME, version = VERSION, language = "R", unicode = UNICODE,
      operations = as.list(names(operations)), schemes = SCHEMES, features = list()
    ))
  }
  operation <- operations[[request$op]]
  c(list(id = request$id), if (is.null(operation)) list(unsupported = TRUE) else operation(request))
}

input <- file("stdin", "r")
while (length(line <- readLines(input, n = 1, warn = FALSE, encoding = "UTF-8"))) {
  nul <- if (grepl(NUL, line, perl = TRUE, useBytes = TRUE)) stand_in(line)
  if (!is.null(nul)) line <- gsub(NUL, paste0("\\1\\", nul), line, perl = TRUE, useBytes = TRUE)
  Encoding(line) <- "UTF-8"
  text <- toJSON(answer(fromJSON(line, simplifyVector = FALSE)), auto_unbox = TRUE, digits = NA)
  if (!is.null(nul)) text <- gsub(nul, "\\u0000", text, fixed = TRUE, useBytes = TRUE)
  writeLines(enc2utf8(text), stdout(), useBytes = TRUE)
  flush(stdout())
}
