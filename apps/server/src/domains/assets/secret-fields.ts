import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/database/database.ts'
import { invalid } from '../../kernel/errors/app-error.ts'
import { keepPrevious, type SecretRow } from '../../kernel/secrets/versions.ts'
import { readPrivateKey, readPublicKey } from './ssh-key.ts'

interface SecretDraft {
  password?: string | null | undefined
  private_key?: string | null | undefined
  public_key?: string | null | undefined
  passphrase?: string | null | undefined
  token?: string | null | undefined
  ssh_key_fingerprint?: string | undefined
}

/**
 * Checks the secrets of a draft and brings them into the form that is stored: a private key without
 * its passphrase, and the public key derived from it. Empty secrets mean unchanged
 * (contract/assets.yaml). Throws 400 on the field.
 */
export function checkSecrets({ draft }: { draft: SecretDraft }): void {
  const { password, private_key, public_key, passphrase } = draft
  // Two braces would be a template in tools that push passwords to machines.
  if (password?.includes('{{')) throw invalid({ password: 'The password must not contain `{{`' })
  if (private_key) {
    const key = readPrivateKey(private_key, passphrase || undefined)
    if (!key) throw invalid({ private_key: 'The private key or its passphrase is not valid' })
    Object.assign(draft, {
      private_key: key.privateKey,
      public_key: key.publicKey,
      ssh_key_fingerprint: key.fingerprint,
    })
  } else if (public_key) {
    const key = readPublicKey(public_key)
    if (!key) throw invalid({ public_key: 'Not a valid SSH public key' })
    draft.ssh_key_fingerprint = key.fingerprint
  } else {
    delete draft.public_key
  }
  delete draft.passphrase
}

/** A rule: secrets that a write replaces stay as a previous version. */
export function keepReplaced(kind: SecretRow['kind'], table: PgTable) {
  return async ({ db, draft, row }: { db: Database; draft: SecretDraft; row: { id: string } | undefined }) => {
    if (row && (draft.password || draft.private_key || draft.token)) await keepPrevious(db, { kind, table, id: row.id })
  }
}
