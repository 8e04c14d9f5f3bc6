import { z } from 'zod'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type Program, programOf } from './programs.ts'
import { isLoopback, isRegistered, LONGEST_URI } from './redirect-uri.ts'
import { AGENT_SCOPE, issuerOf, resourceOf } from './site.ts'

/** The question of a program, in the address of the page (RFC 6749 §4.1.1, 7636, 8707). */
export const asked = z.object({
  client_id: z.string().max(100),
  redirect_uri: z.string().max(LONGEST_URI),
  response_type: z.string().max(100).optional(),
  code_challenge: z.string().max(200).optional(),
  code_challenge_method: z.string().max(20).optional(),
  resource: z.string().max(LONGEST_URI).optional(),
  scope: z.string().max(500).optional(),
  state: z.string().max(2000).optional(),
})
export type Asked = z.infer<typeof asked>

/** A program that may ask, with the address that the answer goes to. */
export interface Asking {
  program: Program
  redirect: URL
  challenge: string
  /** Why it gets no code whatever the person says, as OAuth names it. */
  fault: string | undefined
  isLocal: boolean
  /** The program's address, with an answer to it (RFC 9207: and with who answers). */
  answered(values: Record<string, string>): string
}

/**
 * Reads what a program asks for. Unknown programs and addresses are refused here and nothing is ever
 * sent there.
 */
export async function readAsked(kernel: Kernel, query: unknown): Promise<Asking> {
  const read = asked.safeParse(query)
  const program = read.success ? await programOf(kernel, read.data.client_id) : undefined
  if (!read.success || !program || !isRegistered(program.redirect_uris, read.data.redirect_uri))
    throw new AppError(400, 'unknown_program', UNKNOWN)
  const { redirect_uri, state, code_challenge: challenge = '' } = read.data
  const redirect = new URL(redirect_uri)
  return {
    program,
    redirect,
    challenge,
    fault: faultOf(kernel, read.data),
    isLocal: isLoopback(redirect),
    answered(values) {
      const url = new URL(redirect_uri)
      const all = { ...values, ...(state === undefined ? {} : { state }), iss: issuerOf(kernel) }
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
      return url.href
    },
  }
}

function faultOf(kernel: Kernel, query: Asked): string | undefined {
  const { response_type, code_challenge = '', code_challenge_method, resource, scope } = query
  if (response_type !== 'code') return 'unsupported_response_type'
  if (code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(code_challenge)) return 'invalid_request'
  if (resource !== resourceOf(kernel)) return 'invalid_target'
  if (scope?.split(' ').some((word) => word && word !== AGENT_SCOPE)) return 'invalid_scope'
  return undefined
}

const UNKNOWN =
  'This program is not known here, or its address is another one than it has registered: let it connect once more'
