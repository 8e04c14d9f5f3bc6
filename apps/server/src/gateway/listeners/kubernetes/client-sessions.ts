import { createHash } from 'node:crypto'
import { inBackground } from '../../../kernel/background.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import type { RequestSession } from '../../kinds/requests/request-session.ts'
import type { Dialogue } from '../../session/dialogue.ts'
import type { Notice } from '../../session/notice.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { type ClientSignIn, signInClient } from '../clients/client-sign-in.ts'
import { enterClient } from '../clients/enter-client.ts'

/** Credentials that a client of Kubernetes sends with each request. */
export interface ClientCredentials {
  /** A connection token, or `person#application#account`. */
  name: string
  password: string
}

/** Somebody who works in a cluster with a client of their own. */
export interface ClientSession {
  signIn: ClientSignIn
  live: RequestSession
}

/** People, by what their clients send: all requests of one go into one session. */
export class ClientSessions {
  readonly #kernel: Kernel
  readonly #gateway: Gateway
  readonly #open = new Map<string, Promise<ClientSession>>()

  constructor(kernel: Kernel, gateway: Gateway) {
    this.#kernel = kernel
    this.#gateway = gateway
  }

  /**
   * The session of these credentials; opened, where there is none, once for all that ask at the
   * same time. Throws SessionRefusal.
   */
  async of(credentials: ClientCredentials, address: string, program: string): Promise<ClientSession> {
    // The credentials are secret, and are kept nowhere.
    const key = createHash('sha256')
      .update(JSON.stringify([credentials.name, credentials.password, address]))
      .digest('base64')
    for (;;) {
      const open = this.#open.get(key) ?? this.#begun(key, credentials, address, program)
      const session = await open
      if (!session.live.isOver) return session
      if (this.#open.get(key) === open) this.#open.delete(key)
    }
  }

  #begun(key: string, credentials: ClientCredentials, address: string, program: string): Promise<ClientSession> {
    const opening = this.#begin(credentials, address, program)
    this.#open.set(key, opening)
    const forget = () => {
      if (this.#open.get(key) === opening) this.#open.delete(key)
    }
    opening.then(({ live }) => inBackground(live.ended.then(forget)), forget)
    return opening
  }

  async #begin({ name, password }: ClientCredentials, address: string, program: string): Promise<ClientSession> {
    const signIn = await signInClient(this.#kernel, {
      name,
      address,
      program,
      password: async () => password,
      kind: 'requests',
    })
    const gone = new AbortController()
    let live: RequestSession | undefined
    const stopPresence = enterClient(this.#gateway, signIn, { live: () => live, giveUp: () => gone.abort() })
    const leave = async () => {
      stopPresence()
      await signIn.close()
    }
    try {
      const { person, target, systemUserId } = signIn
      const tell = (what: Notice) => {
        // Its next request would only begin another session.
        if (what.urgency === 'last' && what.code !== 'shutdown') inBackground(signIn.revoke())
      }
      live = await this.#gateway.open(
        { kind: 'requests', person, target, systemUserId, dialogue: SILENT, owner: { tell }, client: program },
        gone.signal,
      )
      inBackground(live.ended.then(leave))
      return { signIn, live }
    } catch (error) {
      await leave()
      throw error
    }
  }
}

/** A client of Kubernetes can be neither notified nor asked; it waits for its answer. */
const SILENT: Dialogue = {
  ask: () =>
    Promise.reject(new SessionRefusal('This login asks for something that can only be answered in a terminal')),
  wait: (_heading, _text, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) resolve('over')
      else signal.addEventListener('abort', () => resolve('over'), { once: true })
    }),
}
