import type { FastifyRequest } from 'fastify'
import { userAgentOf } from '../../../kernel/http/client-name.ts'
import type { Kernel } from '../../../kernel/kernel.ts'

/**
 * The end of a session is moved, and the use of a token stored, at most this often, to spare a
 * write for every call.
 */
const NOTE_SECONDS = 60

/** Extends a browser session that is in use, and stores that it is. */
export async function slideSession(
  kernel: Pick<Kernel, 'pool'>,
  id: string | null,
  end: Date,
  seconds: number,
): Promise<void> {
  if (end.getTime() > Date.now() + (seconds - NOTE_SECONDS) * 1000) return
  await kernel.pool.query(
    'UPDATE authentication_session SET date_expired = now() + make_interval(secs => $2), date_last_seen = now() WHERE id = $1',
    [id, seconds],
  )
}

const TOKEN_USE = {
  // A bearer token belongs to the address that asked for it.
  bearer: 'UPDATE authentication_bearer_token SET date_last_seen = now() WHERE id = $1',
  private_token:
    'UPDATE authentication_private_token SET date_last_seen = now(), remote_addr = $2, user_agent = $3 WHERE id = $1',
  service_key: 'UPDATE authentication_service_key SET date_last_used = now(), last_addr = $2 WHERE id = $1',
  agent_token: 'UPDATE authentication_agent_grant SET date_last_seen = now(), remote_addr = $2 WHERE id = $1',
  workload_token: 'UPDATE authentication_workload_token SET date_last_used = now() WHERE id = $1',
} as const

/** Stores when a token was last used and, for private tokens, from where. */
export async function noteTokenUse(
  { pool }: Pick<Kernel, 'pool'>,
  source: keyof typeof TOKEN_USE,
  { sign_in_id, last_seen }: { sign_in_id: string | null; last_seen: Date | null },
  request: FastifyRequest,
): Promise<void> {
  if (last_seen && Date.now() - last_seen.getTime() < NOTE_SECONDS * 1000) return
  const values = {
    bearer: [],
    workload_token: [],
    service_key: [request.ip],
    agent_token: [request.ip],
    private_token: [request.ip, userAgentOf(request)],
  }
  await pool.query(TOKEN_USE[source], [sign_in_id, ...values[source]])
}
