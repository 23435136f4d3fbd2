// Where the routes of EDDI's clients begin.

export const prefix = '/eddi'
