import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/database/database.ts'
import { invalid } from '../../../kernel/errors/app-error.ts'
import type { SecretOwnerKind } from '../../../kernel/secrets/tables.ts'
import { candidateOf, keepPrevious } from '../../../kernel/secrets/versions.ts'
import { isPathBelow } from './secret-path.ts'

interface Writing {
  db: Database
  draft: {
    secret_source?: string | null | undefined
    secret_path?: string | undefined
    secret_field?: string | undefined
    password?: string | null | undefined
    private_key?: string | null | undefined
    token?: string | null | undefined
    auto_generate_key?: boolean | undefined
    login_mode?: string | undefined
  }
  row:
    | { id: string; secret_source: string | null; secret_path: string; secret_field: string; login_mode?: string }
    | undefined
}

/** Fields that bring a secret of one's own. */
const SECRETS = ['password', 'private_key', 'token'] as const

/**
 * A rule: an account has its secret here or outside, never both. One that goes outside keeps its
 * former secret among its versions.
 */
export function keepOutside(kind: SecretOwnerKind, table: PgTable) {
  return async ({ db, draft, row }: Writing): Promise<void> => {
    const source = draft.secret_source === undefined ? (row?.secret_source ?? null) : draft.secret_source
    if (!source) {
      if (draft.secret_source === null || draft.secret_path || draft.secret_field)
        Object.assign(draft, { secret_path: '', secret_field: '' })
      return
    }
    checkPlace(draft, row)
    const own = SECRETS.find((name) => draft[name])
    if (own) throw invalid({ [own]: 'The secret of this account is kept outside: take it off its secret source first' })
    if (draft.auto_generate_key) throw invalid({ auto_generate_key: 'A secret that is kept outside is made there' })
    if ((draft.login_mode ?? row?.login_mode) === 'manual')
      throw invalid({ secret_source: 'People are asked for the secret each time: nothing is fetched' })
    for (const name of SECRETS) delete draft[name]
    if (!row || row.secret_source) return
    const owner = { kind, table, id: row.id }
    if (await candidateOf(db, owner))
      throw invalid({ secret_source: 'Its secret is being changed now: wait for the end' })
    await keepPrevious(db, owner)
  }
}

function checkPlace(draft: Writing['draft'], row: Writing['row']): void {
  const path = draft.secret_path ?? row?.secret_path ?? ''
  const field = draft.secret_field ?? row?.secret_field ?? ''
  if (!path) throw invalid({ secret_path: 'This field is required.' })
  if (!isPathBelow(path)) throw invalid({ secret_path: 'A path has names between single slashes, and nothing upward' })
  if (!field) throw invalid({ secret_field: 'This field is required.' })
  if (/\p{Cc}/u.test(field)) throw invalid({ secret_field: 'Special characters are not allowed' })
}
