import { z } from 'zod'
import { inBackground } from '../../../kernel/background.ts'
import { mayAccount } from '../../connectors/kubernetes/access-review.ts'
import type { RequestSession } from '../../kinds/requests/request-session.ts'
import { isClusterName, isPathName } from '../../protocols/kubernetes/cluster-names.ts'
import { type ClusterAnswer, ClusterBrowser, type ClusterQuestion } from '../../workbench/kubernetes/cluster-browser.ts'
import { followList } from '../../workbench/kubernetes/followed-list.ts'
import { KIND_NAMES } from '../../workbench/kubernetes/kinds.ts'
import { failureOf } from '../kubernetes/answer.ts'
import { OwnBrowser } from './own-browser.ts'
import type { TerminalRequest } from './role.ts'

const PROGRAM = 'Sallyport resources'
/** A cluster's word for the next page, which means something to it alone. */
const NEXT_CHARACTERS = 8 * 1024
const SELECTOR_CHARACTERS = 4 * 1024

const kind = z.enum(KIND_NAMES)
const namespace = z.union([z.literal(''), z.string().refine(isClusterName)])
const ofOne = { kind, namespace, name: z.string().refine(isPathName) }
const askedSchema = z.object({
  question: z.number().int().min(0),
  ask: z.discriminatedUnion('about', [
    z.object({ about: z.literal('namespaces') }),
    z.object({
      about: z.literal('list'),
      ...{ kind, namespace },
      selector: z.string().max(SELECTOR_CHARACTERS),
      next: z.string().max(NEXT_CHARACTERS),
    }),
    z.object({ about: z.literal('object'), ...ofOne }),
    z.object({ about: z.literal('events'), ...ofOne }),
  ]),
})

/** The list that the page shows now; without one it follows none. */
const followedSchema = z.object({
  number: z.number().int().min(0),
  list: z
    .object({ kind, namespace, selector: z.string().max(SELECTOR_CHARACTERS), since: z.string().regex(/^\d{1,32}$/) })
    .optional(),
})
/** A page that has so much unread is told of no more changes. */
const UNREAD_MAX = 1024 * 1024

/** The objects of a cluster in a page: a session of requests whose client is that page. */
export class OwnClusterBrowser extends OwnBrowser<ClusterQuestion> {
  #browser: ClusterBrowser | undefined
  /** What was asked and is waited for. */
  #asking = new AbortController()
  #requests: RequestSession | undefined
  /** Of the list that is followed: one at a time. */
  #following = new AbortController()

  constructor(request: TerminalRequest) {
    super(request, askedSchema)
  }

  protected async connect(): Promise<Record<string, unknown>> {
    const { gateway, line, person, query } = this.request
    const live = await gateway.open(
      {
        kind: 'requests',
        person,
        target: { family: query.family, id: query.target_id },
        systemUserId: query.system_user_id ?? '',
        dialogue: this.dialogue,
        owner: { tell: (what) => this.tell(what) },
        client: PROGRAM,
        onCreated: (session) => line.send('TERMINAL_SESSION', { session }),
      },
      this.over.signal,
    )
    this.live = live
    this.#requests = live
    inBackground(
      live.ended.then(() => {
        this.cancel()
        line.finish()
      }),
    )
    this.#browser = new ClusterBrowser(live)
    // Whoever may not see the nodes is shown no list of them.
    const mayNodes = await mayAccount(live.target, { verb: 'list', resource: 'nodes' }, this.over.signal).catch(
      () => false,
    )
    return { dialect: 'kubernetes', mayNodes }
  }

  /** Also takes WORKBENCH_FOLLOW, of which it tells by WORKBENCH_CHANGES. */
  override message(type: string, data: unknown): void {
    const followed = type === 'WORKBENCH_FOLLOW' ? followedSchema.safeParse(data) : undefined
    if (!followed) super.message(type, data)
    else if (followed.success) inBackground(this.#follow(followed.data))
  }

  async #follow({ number, list }: z.infer<typeof followedSchema>): Promise<void> {
    const { line, kernel } = this.request
    this.#following.abort()
    const following = new AbortController()
    this.#following = following
    if (!list || !this.#requests) return
    const tell = (said: object) => {
      if (line.socket.bufferedAmount > UNREAD_MAX) following.abort()
      else line.send('WORKBENCH_CHANGES', { number, ...said })
    }
    let ended: object = { ended: 'refused' }
    try {
      const since = await followList(this.#requests, list, following.signal, (changes) => tell({ changes }))
      ended = since === undefined ? { ended: 'expired' } : { ended: 'over', since }
    } catch (error) {
      if (following.signal.aborted) return
      if (this.wordsOf(error) === undefined)
        kernel.app.log.error({ err: error, session: this.live?.id }, 'a list of a cluster could not be followed')
    }
    tell(ended)
  }

  protected ask(question: ClusterQuestion): Promise<ClusterAnswer> | undefined {
    return this.#browser?.ask(question, this.#asking.signal)
  }

  protected cancel(): void {
    this.#asking.abort()
    this.#asking = new AbortController()
  }

  protected wordsOf(error: unknown): string {
    const { kernel, person, say } = this.request
    if (error instanceof Error && error.name === 'AbortError') return say('The request was withdrawn')
    return failureOf(kernel, error, person.language).words
  }
}
