import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { sourceNetwork } from '../../../kernel/access/source-network.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { LONGEST_URI, redirectOf } from './redirect-uri.ts'
import { oauthRefusal } from './site.ts'

/** Registrations from one address in an hour, and of all together that nobody has connected yet. */
const OF_ADDRESS = 30
const OPEN = 2000
const DAYS_OPEN = 1
const LONGEST_NAME = 80

/** RFC 7591 §2; keys that are not named here are ignored, as it says. */
export const registration = z.object({
  client_name: z.string().max(1000).optional(),
  redirect_uris: z.array(z.string().max(LONGEST_URI)).min(1).max(5),
  grant_types: z.array(z.string().max(100)).max(10).optional(),
  response_types: z.array(z.string().max(100)).max(10).optional(),
})

export interface Program {
  id: string
  name: string
  redirect_uris: string[]
}

/** Its own words for itself in one line, without characters that hide or turn the text. */
export const programName = (text: string): string =>
  text
    .replace(/[\p{C}\p{Z}\p{M}<>"]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
    .trim()

/** Keeps a program. Throws what OAuth has for bad input, and 429 where too many have come. */
export async function registerProgram(kernel: Kernel, body: unknown, address: string): Promise<Program> {
  const read = registration.safeParse(body ?? {})
  if (!read.success) throw oauthRefusal('invalid_client_metadata', 'This is no registration as RFC 7591 has it')
  const { client_name = '', redirect_uris, grant_types, response_types } = read.data
  if (!redirect_uris.every(redirectOf))
    throw oauthRefusal('invalid_redirect_uri', 'Redirect URIs are https, or http on 127.0.0.1, [::1] or localhost')
  if (grant_types && !grant_types.includes('authorization_code'))
    throw oauthRefusal('invalid_client_metadata', 'The grant type is authorization_code')
  if (response_types && !response_types.includes('code'))
    throw oauthRefusal('invalid_client_metadata', 'The response type is code')
  const { rows } = await kernel.db.execute<Program & Record<string, unknown>>(sql`
    INSERT INTO authentication_agent_program (name, redirect_uris, network, date_expired)
    SELECT ${programName(client_name) || 'unknown'}, ${sql.param(redirect_uris)}::text[], ${sourceNetwork(address)},
      now() + make_interval(days => ${DAYS_OPEN})
    WHERE (SELECT count(*) < ${OF_ADDRESS} FROM authentication_agent_program
        WHERE network = ${sourceNetwork(address)} AND date_created > now() - interval '1 hour')
      AND (SELECT count(*) < ${OPEN} FROM authentication_agent_program p
        WHERE NOT EXISTS (SELECT FROM authentication_agent_grant g WHERE g.program = p.id))
    RETURNING id, name, redirect_uris`)
  if (!rows[0]) throw new AppError(429, 'too_many_requests', 'Too many requests: try again in a minute')
  return rows[0]
}

/** The program of a client id; undefined where there is none, or not any more. */
export async function programOf({ pool }: Pick<Kernel, 'pool'>, id: string): Promise<Program | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await pool.query<Program>(
    'SELECT id, name, redirect_uris FROM authentication_agent_program WHERE id = $1 AND date_expired > now()',
    [id],
  )
  return rows[0]
}
