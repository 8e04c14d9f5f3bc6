/**
 * The two pages of every provider: the one that leads there, and the one that the browser comes
 * back to.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { settingsOf } from '../../settings/index.ts'
import { HOME, safeNext } from '../next-address.ts'
import type { OutsideSession } from '../tables.ts'
import type { OutsideAccount } from './outside-account.ts'
import {
  admit,
  logFault,
  OUTSIDE_TEXT,
  refuse,
  rememberStart,
  type Start,
  type StartOf,
  takeStart,
} from './outside-sign-in.ts'

/** What differs between providers. */
export interface OutsideProvider<K extends Start, P extends { name: string }> {
  key: K
  /** The name of its kind in messages and in the log. */
  name: string
  /** The provider of this page; undefined while it is off. */
  find(request: FastifyRequest): Promise<P | undefined>
  /** Summaries of its pages. */
  summaries: { login: string; callback: string }
  login: string
  callback: string
  /**
   * Where the provider is asked who somebody is, and what its answer must match. May throw errors
   * that an administrator has to mend.
   */
  begin(next: string, place: P): Promise<{ address: string; started: StartOf<K> }>
  /**
   * Answers what `begin` has thrown, where there is more to say than that an administrator must be
   * told.
   */
  explain?(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply
  /**
   * Whom the provider has proven, or why nobody: an answer that does not match the start proves
   * nothing. `started` is undefined when the browser did not start here, or too long ago.
   */
  comeBack(request: FastifyRequest, started: StartOf<K> | undefined, place: P): Promise<Proven | Refusal>
}

interface Proven {
  account: OutsideAccount
  session: Omit<OutsideSession, 'source'>
}

type Refusal = keyof typeof OUTSIDE_TEXT

/** Finds the one provider of a kind, by the setting that switches it on. */
export const whileOn = (kernel: Kernel, setting: 'AUTH_CAS' | 'AUTH_SAML2', name: string) => async () =>
  settingsOf(kernel).get(setting) ? { name } : undefined

export function registerOutsidePages<K extends Start, P extends { name: string }>(
  kernel: Kernel,
  provider: OutsideProvider<K, P>,
): void {
  const { key, summaries, login, callback } = provider
  const refuseFor = (request: FastifyRequest, reply: FastifyReply, why: Refusal, name = provider.name) =>
    refuse(kernel, request, reply, OUTSIDE_TEXT[why], { name })
  kernel.app.route({
    method: 'GET',
    url: login,
    config: { access: ['anonymous'], summary: summaries.login },
    handler: async (request, reply) => {
      const next = safeNext(singleValues(request.query).next)
      if (request.call.user) return reply.redirect(next)
      const place = await provider.find(request)
      if (!place) return refuseFor(request, reply, 'off')
      try {
        const { address, started } = await provider.begin(next, place)
        await rememberStart(kernel, request, reply, key, started)
        return reply.redirect(address)
      } catch (error) {
        logFault(kernel, place.name, error)
        return provider.explain
          ? provider.explain(request, reply, error)
          : refuseFor(request, reply, 'misconfigured', place.name)
      }
    },
  })
  kernel.app.route({
    method: 'GET',
    url: callback,
    config: { access: ['anonymous'], summary: summaries.callback },
    handler: async (request, reply) => {
      if (request.call.user) return reply.redirect(HOME)
      const place = await provider.find(request)
      if (!place) return refuseFor(request, reply, 'off')
      const started = await takeStart(kernel, request, key)
      const proven = await provider.comeBack(request, started, place)
      if (typeof proven === 'string') return refuseFor(request, reply, proven, place.name)
      return admit(kernel, request, reply, proven.account, proven.session, started?.next ?? HOME)
    },
  })
}
