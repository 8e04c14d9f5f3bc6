import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Row } from '../../lib/api.ts'

/** A link for those who may follow it, else the words alone. */
export function LinkedWords({ to, children }: { to: string | undefined; children: ReactNode }) {
  return to ? <Link to={to}>{children}</Link> : children
}

/** A cell whose words lead to something else: `address` is undefined for people who may not see that. */
export function linkCell<R extends Row>(address: (row: R) => string | undefined, words: (row: R) => ReactNode) {
  return ({ row }: { row: R }) => <LinkedWords to={address(row)}>{words(row)}</LinkedWords>
}
