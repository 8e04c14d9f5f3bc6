import {
  type AskedPlace,
  type ForwardingRight,
  judgePlace,
  NO_FORWARDING,
} from '../../../../domains/perms/forwarding/index.ts'
import type { MachineNow } from '../../../../domains/perms/index.ts'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { permissionOf } from '../../../opening/permission.ts'
import type { Person } from '../../../session/person.ts'
import { askFor } from '../../../session/questions-of-person.ts'
import { SessionRefusal } from '../../../session/refusal.ts'
import type { DirectAnswer } from '../../menu/choose.ts'
import { type ForwardingTarget, loadForwardingTarget } from './forwarding-target.ts'

/** The user name of a connection leads to no machine. */
export class NoMachine extends SessionRefusal {
  /** Nothing of that name was granted. */
  readonly isUnknown: boolean
  constructor({ found, notice }: Exclude<DirectAnswer, { found: 'one' }>) {
    super(notice)
    this.isUnknown = found === 'none'
  }
}

/** The right that a permission gives, and the machine that it is about. */
export interface RightNow {
  right: ForwardingRight
  of: ForwardingTarget
}

/** The machine in the user name of a connection, and where its person may be connected to from there. */
export class RightFromMachine {
  readonly #kernel: Kernel
  readonly #person: Person
  readonly #resolve: () => Promise<DirectAnswer>
  #target: Promise<ForwardingTarget> | undefined
  #first: Promise<unknown> | undefined
  #last: RightNow | undefined

  constructor(kernel: Kernel, person: Person, resolve: () => Promise<DirectAnswer>) {
    this.#kernel = kernel
    this.#person = person
    this.#resolve = resolve
  }

  /**
   * Once for the whole connection: what its user name means. Whether it may be used, and how the
   * machine is reached, is asked each time. Throws SessionRefusal.
   */
  target(): Promise<ForwardingTarget> {
    this.#target ??= askFor(this.#person, async () => {
      const answer = await this.#resolve()
      if (answer.found !== 'one') throw new NoMachine(answer)
      const found = await loadForwardingTarget(this.#kernel, answer.choice)
      if (!found) throw new SessionRefusal('The connection failed')
      return found
    }).catch((error) => {
      this.#target = undefined
      throw error
    })
    return this.#target
  }

  /** Asks for it now. */
  async ask(): Promise<RightNow> {
    const of = await this.target()
    const { allowed, forwarding, machine } = await askFor(this.#person, () =>
      permissionOf(this.#kernel, { person: this.#person, ...of }),
    )
    return this.#keep(of, allowed ? forwarding : NO_FORWARDING, machine)
  }

  /** Takes what was answered to somebody else who has asked; undefined before anybody has asked here. */
  note(right: ForwardingRight, machine: MachineNow | undefined): RightNow | undefined {
    return this.#last && this.#keep(this.#last.of, right, machine)
  }

  #keep(of: ForwardingTarget, right: ForwardingRight, machine: MachineNow | undefined): RightNow {
    this.#last = { right, of: { ...of, ...machine } }
    return this.#last
  }

  /** Whether a place was granted when it was asked for last, which is done once if nobody has. */
  async wasGranted(asked: AskedPlace): Promise<boolean> {
    if (!this.#last) {
      this.#first ??= this.ask().catch(() => {
        this.#first = undefined
      })
      await this.#first
    }
    return this.#last !== undefined && judgePlace(this.#last.right, asked, this.#last.of.address).place !== undefined
  }
}
