import type { PasswordRules } from '../rotation/generate-password.ts'

/** Rules of passwords as plans keep them (docs/rules/accounts.md#password_rules). */
export interface StoredRules {
  length: number
  /** Empty for none; the usual ones where it is missing. */
  symbol_set?: string
}

export const passwordRules = ({ length, symbol_set: symbols }: StoredRules): PasswordRules => ({
  length,
  ...(symbols === undefined ? {} : { symbols: [...new Set(symbols)].join('') }),
})
