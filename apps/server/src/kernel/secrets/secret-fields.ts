import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../database/database.ts'
import { readPrivateKey } from '../ssh/keys/private-key.ts'
import { readPublicKey } from '../ssh/keys/public-key.ts'
import { keepPrevious, type SecretRow } from './versions.ts'

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
 * (docs/rules/assets.md#system_user). Throws 400 on the field.
 */
export async function checkSecrets({ draft }: { draft: SecretDraft }): Promise<void> {
  const { private_key, public_key, passphrase } = draft
  if (private_key) {
    const key = await readPrivateKey(private_key, passphrase || undefined)
    Object.assign(draft, {
      private_key: key.privateKey,
      public_key: key.publicKey,
      ssh_key_fingerprint: key.fingerprint,
    })
  } else if (public_key) {
    const key = readPublicKey(public_key)
    Object.assign(draft, { public_key: key.text, ssh_key_fingerprint: key.md5 })
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
