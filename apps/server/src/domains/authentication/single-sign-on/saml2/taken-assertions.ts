import { createHash } from 'node:crypto'
import { hashKey, randomKey } from '../../../../kernel/access/random-secret.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import type { SamlProof } from './response.ts'
import { MAX_AGE_MS, TOLERANCE_MS } from './saml-library.ts'

/** Until an assertion is too old to be accepted. */
const REMEMBERED_SECONDS = (MAX_AGE_MS + 2 * TOLERANCE_MS) / 1000
/** For the redirect from the provider's POST to the browser's own request. */
const FETCHED_WITHIN_SECONDS = 120

/**
 * Accepts an assertion once, on all nodes, and stores it for its browser. Answers the code to fetch
 * it with; undefined when it was accepted before.
 */
export async function keepProof(kernel: Kernel, proof: SamlProof): Promise<string | undefined> {
  const code = randomKey()
  const { rowCount } = await kernel.pool.query(
    `INSERT INTO authentication_saml2_assertion (assertion_hash, code_hash, proof_sealed, date_expired)
     VALUES ($1, $2, $3, now() + make_interval(secs => $4)) ON CONFLICT DO NOTHING`,
    [
      createHash('sha256').update(nameOf(proof)).digest(),
      hashKey(code),
      kernel.secrets.seal(JSON.stringify(proof)),
      REMEMBERED_SECONDS,
    ],
  )
  return rowCount ? code : undefined
}

/** No provider uses up the assertions of another, even if both have one name. */
const nameOf = ({ provider, issuer, assertion }: SamlProof) =>
  `${provider === undefined ? '' : `${provider}\n`}${issuer}\n${assertion}`

/** The proof that was stored under the code, for one caller only. */
export async function fetchProof(kernel: Kernel, code: string): Promise<SamlProof | undefined> {
  const { rows } = await kernel.pool.query<{ proof_sealed: Buffer }>(
    // `RETURNING old.proof_sealed` would say it in one, but PostgreSQL before 18 does not know it.
    `UPDATE authentication_saml2_assertion AS kept SET proof_sealed = NULL
     FROM (SELECT code_hash, proof_sealed FROM authentication_saml2_assertion
           WHERE code_hash = $1 AND proof_sealed IS NOT NULL AND date_created > now() - make_interval(secs => $2)
           FOR UPDATE) AS before
     WHERE kept.code_hash = before.code_hash RETURNING before.proof_sealed`,
    [hashKey(code), FETCHED_WITHIN_SECONDS],
  )
  return rows[0] && (JSON.parse(kernel.secrets.open('sign_in', 'SAML 2')(rows[0].proof_sealed)) as SamlProof)
}
