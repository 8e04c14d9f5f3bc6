import { ImportRefusal } from './refusal.ts'
import { checkKeys, type SecretKeys } from './secrets/index.ts'
import type { Source } from './source/source.ts'

/** Columns with sealed values, by version; those that a database does not have are passed over. */
const SEALED: readonly (readonly [table: string, ...columns: string[]])[] = [
  ['users.user', 'otp_secret_key', 'private_key', 'public_key', 'secret_key', 'phone', 'email'],
  ['assets.systemuser', 'password', 'private_key'],
  ['assets.gateway', 'password', 'private_key'],
  ['assets.authbook', 'password', 'private_key'],
  ['applications.account', 'password', 'private_key'],
  ['accounts.account', '_secret', 'secret'],
  ['accounts.accounttemplate', '_secret', 'secret'],
  ['authentication.accesskey', 'secret'],
  ['authentication.sshkey', 'public_key'],
]

/**
 * Tries the keys on the beginning of each table with sealed values.
 * @throws ImportRefusal when none of those values opens
 */
export async function checkSecretKeys(source: Source, keys: SecretKeys): Promise<void> {
  const sample: string[] = []
  for (const [table, ...columns] of SEALED)
    for await (const rows of source.read({ table, columns })) {
      for (const row of rows) for (const column of columns) if (row[column]) sample.push(row[column])
      break
    }
  const { verdict, sealed } = checkKeys(sample, keys)
  if (verdict === 'wrong')
    throw new ImportRefusal(
      'The SECRET_KEY opens none of {{sealed}} secrets that were tried: it is the key of another installation, or was changed since. Nothing was imported',
      { sealed },
    )
}
