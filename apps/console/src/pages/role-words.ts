/** The roles of a person as they are answered, `Organization auditor | User`, in words. */
export const roleWords = (value: unknown): string => String(value ?? '').replaceAll(' | ', ', ')
