/** Names of classes as one text; those that do not hold now are left out. */
export const namesOf = (names: readonly (string | false | undefined)[]): string => names.filter(Boolean).join(' ')
