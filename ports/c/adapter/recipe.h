/* The descriptions of large texts (PROTOCOL.md, Recipes). */
#ifndef RECIPE_H
#define RECIPE_H

#include "json.h"

/* Write the text of a recipe in UTF-8. */
void put_recipe(struct output *output, const struct json *recipe);

#endif
