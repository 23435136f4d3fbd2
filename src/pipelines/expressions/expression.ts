// What an expression is: a name and what stands in its parentheses, as in `property(city(vienna))`. Source: EDDI's digest, section 2.

export type Expression = { readonly name: string; readonly children: readonly Expression[] }
