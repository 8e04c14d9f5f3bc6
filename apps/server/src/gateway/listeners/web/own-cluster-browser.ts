import {
  CLUSTER,
  type ClusterFromGateway,
  type ClusterQuestion,
  type FollowedList,
} from '@sallyport/contract/socket/cluster.ts'
import { inBackground } from '../../../kernel/background.ts'
import { mayAccount } from '../../connectors/kubernetes/access-review.ts'
import type { RequestSession } from '../../kinds/requests/request-session.ts'
import { type ClusterAnswer, ClusterBrowser } from '../../workbench/kubernetes/cluster-browser.ts'
import { followList } from '../../workbench/kubernetes/followed-list.ts'
import { failureOf } from '../kubernetes/answer.ts'
import { messageDoor } from './message-door.ts'
import { OwnBrowser } from './own-browser.ts'

const PROGRAM = 'Sallyport resources'
type ChangesMessage = Extract<ClusterFromGateway, { type: 'WORKBENCH_CHANGES' }>['data']

/** Limit of unread bytes of a page; beyond it no more changes are sent. */
const UNREAD_MAX = 1024 * 1024

/** The objects of a cluster in a page: a session of requests whose client is that page. */
export class OwnClusterBrowser extends OwnBrowser<ClusterQuestion> {
  #browser: ClusterBrowser | undefined
  /** Aborts the questions that wait for an answer. */
  #asking = new AbortController()
  #requests: RequestSession | undefined
  /** Aborts following the list: one at a time. */
  #following = new AbortController()

  /** Also takes WORKBENCH_FOLLOW, of which it tells by WORKBENCH_CHANGES. */
  protected readonly door = messageDoor(
    CLUSTER.fromClient,
    { ...this.asking, WORKBENCH_FOLLOW: (wanted) => inBackground(this.#follow(wanted)) },
    this.refused,
  )

  protected async connect() {
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
    // An account that may not see the nodes gets no list of them.
    const mayNodes = await mayAccount(live.target, { verb: 'list', resource: 'nodes' }, this.over.signal).catch(
      () => false,
    )
    return { dialect: 'kubernetes' as const, mayNodes }
  }

  async #follow({ number, list }: { number: number; list?: FollowedList | undefined }): Promise<void> {
    const { line, kernel } = this.request
    this.#following.abort()
    const following = new AbortController()
    this.#following = following
    if (!list || !this.#requests) return
    const tell = (change: Omit<ChangesMessage, 'number'>) => {
      if (line.socket.bufferedAmount > UNREAD_MAX) following.abort()
      else line.send('WORKBENCH_CHANGES', { number, ...change })
    }
    let ended: Omit<ChangesMessage, 'number'> = { ended: 'refused' }
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
