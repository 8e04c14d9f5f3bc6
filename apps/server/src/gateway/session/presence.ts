import { lapsedSignIns, renewSignIns } from '../../domains/authentication/index.ts'
import type { SignIn } from '../../kernel/access/sign-in.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type Notice, notice } from './notice.ts'

/** Somebody at a terminal on this node: in their own session, or watching another. */
export interface ConnectedPerson {
  userId: string
  signIn: SignIn
  /** Whether they work in their own session, which keeps their sign-in from expiring. */
  atWork: boolean
  /** Whether they may still be here; asked from time to time, besides the check of the sign-in. */
  allowed(): Promise<boolean>
  /** Sends them away. */
  dismiss(words: Notice): void
}

/**
 * Everybody at terminals on this node: people who are signed out, disabled or not permitted any
 * more are sent away within seconds.
 */
export class Presence {
  readonly #kernel: Kernel
  readonly #present = new Set<ConnectedPerson>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Answers how to leave. */
  enter(one: ConnectedPerson): () => void {
    this.#present.add(one)
    return () => this.#present.delete(one)
  }

  /** Sends away people whose sign-in is over. */
  async checkSignIns(): Promise<void> {
    const present = [...this.#present]
    if (!present.length) return
    const lapsed = new Set(
      await lapsedSignIns(
        this.#kernel,
        present.map(({ signIn }) => signIn),
      ),
    )
    for (const one of present)
      if (lapsed.has(one.signIn))
        this.#dismiss(one, notice('signed_out', 'Your sign-in has ended, the session is closed'))
    await renewSignIns(
      this.#kernel,
      present.filter(({ atWork, signIn }) => atWork && !lapsed.has(signIn)).map(({ signIn }) => signIn),
    )
  }

  /** Sends away people who may not be here any more: among all, or one person. */
  async checkAllowed(userId?: string): Promise<void> {
    for (const one of [...this.#present]) {
      if (userId !== undefined && one.userId !== userId) continue
      if (!(await one.allowed()))
        this.#dismiss(one, notice('not_allowed', 'This session cannot be watched: it is over, or you may not'))
    }
  }

  /**
   * A person who has left meanwhile ended their sign-in themselves: nothing else of theirs is to
   * end.
   */
  #dismiss(one: ConnectedPerson, words: Notice): void {
    if (this.#present.delete(one)) one.dismiss(words)
  }
}
