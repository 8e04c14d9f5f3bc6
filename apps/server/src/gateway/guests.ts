import { lapsedSignIns, renewSignIns, type SignIn } from '../domains/authentication/index.ts'
import type { Kernel } from '../kernel/kernel.ts'

/** Somebody at a terminal of this node: at their own, or watching another's. */
export interface Guest {
  userId: string
  signIn: SignIn
  /** Works in an own session, which keeps their sign-in from running out. */
  atWork: boolean
  /** Whether they may still be here; asked now and then besides the sign-in. */
  allowed(): Promise<boolean>
  /** Sends them away. English text is the key. */
  dismiss(text: string): void
}

/** Everybody at the terminals of this node: who is signed out, disabled or not allowed any more has to leave within seconds. */
export class Guests {
  readonly #kernel: Kernel
  readonly #present = new Set<Guest>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Answers how to leave. */
  enter(guest: Guest): () => void {
    this.#present.add(guest)
    return () => this.#present.delete(guest)
  }

  /** Sends away those whose sign-in does not hold any more. */
  async checkSignIns(): Promise<void> {
    const present = [...this.#present]
    if (!present.length) return
    const lapsed = new Set(
      await lapsedSignIns(
        this.#kernel,
        present.map(({ signIn }) => signIn),
      ),
    )
    for (const guest of present) if (lapsed.has(guest.signIn)) this.#dismiss(guest, 'Your sign-in has ended, the session is closed')
    await renewSignIns(
      this.#kernel,
      present.filter(({ atWork, signIn }) => atWork && !lapsed.has(signIn)).map(({ signIn }) => signIn),
    )
  }

  /** Sends away those who may not be here any more: all, or one person's. */
  async checkAllowed(userId?: string): Promise<void> {
    for (const guest of [...this.#present]) {
      if (userId !== undefined && guest.userId !== userId) continue
      if (!(await guest.allowed())) this.#dismiss(guest, 'This session cannot be watched: it is over, or you may not')
    }
  }

  #dismiss(guest: Guest, text: string): void {
    this.#present.delete(guest)
    guest.dismiss(text)
  }
}
