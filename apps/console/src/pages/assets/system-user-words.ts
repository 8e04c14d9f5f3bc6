import type { Row } from '../../lib/api.ts'

/** `deploy(root)`; the username of a person who connects is shown as `*`. */
export function systemUserWords(row: Row): string {
  return `${row.name}(${row.username_same_with_user ? '*' : (row.username ?? '')})`
}
