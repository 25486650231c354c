/* Numbers that others cannot guess. */
#ifndef SDOC_SECRET_H
#define SDOC_SECRET_H

#include <stddef.h>
#include <stdint.h>

void sdoc_secret(uint64_t *numbers, size_t count);

#endif
