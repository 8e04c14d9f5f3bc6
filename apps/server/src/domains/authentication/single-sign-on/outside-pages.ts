/**
 * The two pages of every provider: the one that leads there, and the one that the browser comes
 * back to.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kernel } from '../../../kernel/kernel.ts'
import { singleValues } from '../../../kernel/resource/query.ts'
import { HOME, safeNext } from '../next-address.ts'
import type { FurtherTable } from '../people-sources/columns.ts'
import type { PeopleSource, PeopleSources, SignInPages } from '../people-sources/sources.ts'
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

/** What differs between kinds of providers. */
export interface OutsideProvider<K extends Start, P extends SignInPages> {
  key: K
  /** The name of its kind in messages and in the log. */
  name: string
  sources: PeopleSources<FurtherTable, P>
  /** Summaries of the pages of the first one, and of the further ones. */
  summaries: readonly [PageSummaries, PageSummaries]
  /**
   * Where the provider is asked who somebody is, and what its answer must match. May throw errors
   * that an administrator has to mend.
   */
  begin(next: string, source: PeopleSource<P>): Promise<{ address: string; started: StartOf<K> }>
  /**
   * Answers what `begin` has thrown, where there is more to say than that an administrator must be
   * told.
   */
  explain?(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply
  /**
   * Whom the provider has proven, or why nobody: an answer that does not match the start proves
   * nothing. `started` is undefined when the browser did not start here, or too long ago.
   */
  comeBack(request: FastifyRequest, started: StartOf<K> | undefined, source: PeopleSource<P>): Promise<Proven | Refusal>
}

type PageSummaries = SignInPages

interface Proven {
  account: Omit<OutsideAccount, 'provider'>
  session: Omit<OutsideSession, 'source' | 'provider'>
}

type Refusal = keyof typeof OUTSIDE_TEXT

/** The id of the further provider that a page of ours is of; null for that of the settings. */
export const idOfPage = ({ params }: Pick<FastifyRequest, 'params'>): string | null =>
  (params as { id?: string } | undefined)?.id ?? null

/** The provider that a page of ours is of; undefined for one that is off or gone. */
export const sourceOfPage = <P>(
  kernel: Kernel,
  sources: PeopleSources<FurtherTable, P>,
  request: Pick<FastifyRequest, 'params'>,
): Promise<PeopleSource<P> | undefined> => sources.inForce(kernel, idOfPage(request))

/** The places at which a kind has pages: those of the first provider, and those of all further ones. */
export const placesOfPages = <P>({ firstPages, furtherPages }: PeopleSources<FurtherTable, P>) =>
  [firstPages, furtherPages(':id')] as const

export function registerOutsidePages<K extends Start, P extends SignInPages>(
  kernel: Kernel,
  provider: OutsideProvider<K, P>,
): void {
  for (const [at, pages] of placesOfPages(provider.sources).entries())
    registerPages(kernel, provider, pages, provider.summaries[at] as PageSummaries)
}

function registerPages<K extends Start, P extends SignInPages>(
  kernel: Kernel,
  provider: OutsideProvider<K, P>,
  { login, callback }: P,
  summaries: PageSummaries,
): void {
  const { key, sources } = provider
  const refuseFor = (request: FastifyRequest, reply: FastifyReply, why: Refusal, name = provider.name) =>
    refuse(kernel, request, reply, OUTSIDE_TEXT[why], { name })
  kernel.app.route({
    method: 'GET',
    url: login,
    config: { access: ['anonymous'], summary: summaries.login, answers: 'moved', answerStatus: 302 },
    handler: async (request, reply) => {
      const next = safeNext(singleValues(request.query).next)
      if (request.call.user) return reply.redirect(next)
      const source = await sourceOfPage(kernel, sources, request)
      if (!source) return refuseFor(request, reply, 'off')
      try {
        const { address, started } = await provider.begin(next, source)
        await rememberStart(kernel, request, reply, key, { ...started, ...ofProvider(source) })
        return reply.redirect(address)
      } catch (error) {
        logFault(kernel, source.name, error)
        return provider.explain
          ? provider.explain(request, reply, error)
          : refuseFor(request, reply, 'misconfigured', source.name)
      }
    },
  })
  kernel.app.route({
    method: 'GET',
    url: callback,
    config: { access: ['anonymous'], summary: summaries.callback, answers: 'moved', answerStatus: 302 },
    handler: async (request, reply) => {
      if (request.call.user) return reply.redirect(HOME)
      const source = await sourceOfPage(kernel, sources, request)
      if (!source) return refuseFor(request, reply, 'off')
      const started = await takeStart(kernel, request, key)
      // Else a provider could have the answer of another one sent to itself (RFC 9700 §4.4).
      const isAsked = !started || (started.provider ?? null) === source.id
      if (!isAsked) logFault(kernel, source.name, new Error('another provider was asked'))
      const proven = isAsked ? await provider.comeBack(request, started, source) : 'refused'
      if (typeof proven === 'string') return refuseFor(request, reply, proven, source.name)
      const account = { ...proven.account, create: proven.account.create && !source.existingOnly, provider: source.id }
      return admit(kernel, request, reply, account, { ...proven.session, ...ofProvider(source) }, started?.next ?? HOME)
    },
  })
}

/** A further provider as it is noted in a start and a session. */
const ofProvider = ({ id }: Pick<PeopleSource, 'id'>) => (id === null ? {} : { provider: id })
