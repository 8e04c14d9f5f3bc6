import type { FastifyRequest } from 'fastify'
import { agentFamily } from '../../../kernel/access/agent-token.ts'
import { hashKey } from '../../../kernel/access/random-secret.ts'
import type { SignIn } from '../../../kernel/access/sign-in.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { credentialOf } from '../credentials/identify.ts'
import { renewConnections } from './open-connection.ts'

/** The sign-in behind a request that the access guard let in. */
export function signInOf(request: FastifyRequest): SignIn | undefined {
  const credential = credentialOf(request)
  if (credential?.source !== 'agent_token') return credential && { source: credential.source, key: credential.key }
  // The tokens of a program change every few minutes; what it has begun goes on.
  const token = request.headers.authorization?.trim().split(/\s+/).at(-1) ?? ''
  return { source: 'agent_grant', key: hashKey(agentFamily(token) ?? '') }
}

const PERSON = 'JOIN users_account u ON u.id = c.user_id AND u.is_valid'
/** Selects those of $1 that are still valid, of people who may still sign in. */
const HOLDING: Readonly<Record<SignIn['source'], string>> = {
  session: `SELECT c.key_hash AS key FROM authentication_session c ${PERSON} WHERE c.key_hash = ANY($1) AND c.date_expired > now()`,
  bearer: `SELECT c.token_hash AS key FROM authentication_bearer_token c ${PERSON} WHERE c.token_hash = ANY($1) AND c.date_expired > now()`,
  private_token: `SELECT c.key_hash AS key FROM authentication_private_token c ${PERSON} WHERE c.key_hash = ANY($1)`,
  agent_grant: `SELECT c.family_hash AS key FROM authentication_agent_grant c ${PERSON} WHERE c.family_hash = ANY($1) AND c.date_expired > now()`,
  connection: `SELECT c.id::text AS key FROM authentication_open_connection c ${PERSON} WHERE c.id = ANY($1::uuid[])`,
  access_key: `SELECT c.id::text AS key FROM authentication_access_key c ${PERSON} WHERE c.id::text = ANY($1) AND c.is_active`,
  workload_token: `SELECT c.token_hash AS key FROM authentication_workload_token c JOIN users_account u ON u.id = c.identity AND u.is_valid
    JOIN authentication_trust_rule r ON r.id = c.rule AND r.is_active WHERE c.token_hash = ANY($1) AND c.date_expired > now()`,
  service_key: `SELECT c.key_hash AS key FROM authentication_service_key c JOIN users_account u ON u.id = c.identity AND u.is_valid
    WHERE c.key_hash = ANY($1) AND c.is_active AND (c.date_expired IS NULL OR c.date_expired > now())`,
}
const SOURCES = Object.keys(HOLDING) as SignIn['source'][]
/** The end of a browser session is moved at most this often. */
const RENEW_SECONDS = 60

const word = ({ source, key }: SignIn) => `${source} ${key.toString('hex')}`

/**
 * Those that are over: signed out, withdrawn, expired, or the person was disabled. One query for
 * each kind of sign-in, whatever their number.
 */
export async function lapsedSignIns<T extends SignIn>(
  { pool }: Pick<Kernel, 'pool'>,
  signIns: readonly T[],
): Promise<T[]> {
  const holding = new Set<string>()
  for (const source of SOURCES) {
    const keys = signIns.filter((one) => one.source === source).map(({ key }) => key)
    if (!keys.length) continue
    const { rows } = await pool.query<{ key: Buffer | string }>(HOLDING[source], [keys])
    for (const { key } of rows) holding.add(word({ source, key }))
  }
  return signIns.filter((one) => !holding.has(word(one)))
}

/**
 * Working in a terminal counts as using the sign-in: the browser session does not expire meanwhile,
 * and a connection stays listed.
 */
export async function renewSignIns(kernel: Kernel, signIns: readonly SignIn[]): Promise<void> {
  const ofSource = (wanted: SignIn['source']) => signIns.filter(({ source }) => source === wanted).map(({ key }) => key)
  await renewConnections(kernel, ofSource('connection').map(String))
  const keys = ofSource('session')
  if (!keys.length) return
  await kernel.pool.query(
    `UPDATE authentication_session SET date_expired = now() + make_interval(secs => $2), date_last_seen = now()
     WHERE key_hash = ANY($1) AND date_expired BETWEEN now() AND now() + make_interval(secs => $2 - ${RENEW_SECONDS})`,
    [keys, settingsOf(kernel).get('SESSION_COOKIE_AGE')],
  )
}
