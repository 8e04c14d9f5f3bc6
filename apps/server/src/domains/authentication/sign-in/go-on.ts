import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../../../kernel/kernel.ts'
import { startSession } from '../session.ts'
import type { ProvenSignIn } from '../tables.ts'
import { GUARD, pageOf } from './login-guard.ts'
import { rememberProven } from './pending-sign-in.ts'
import type { Due, SignedIn } from './sign-in.ts'

/** A sign-in whose password was right. */
export type RightSignIn = { user: SignedIn } | { proven: ProvenSignIn; due: Due }

/**
 * Starts the browser's session, or remembers what is proven until the rest is. Answers the address
 * to go on at.
 */
export async function goOn(
  kernel: Kernel,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: RightSignIn,
  { remember, next }: { remember: boolean; next: string },
): Promise<string> {
  if ('due' in answer) {
    const { due, proven } = answer
    await rememberProven(kernel, request, reply, { ...proven, remember, next })
    return proven.mfa ? GUARD : pageOf(due)
  }
  await startSession(kernel, request, reply, answer.user, remember)
  return next
}
