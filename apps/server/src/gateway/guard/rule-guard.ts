import type { Kernel } from '../../kernel/kernel.ts'
import { pause } from '../../kernel/pause.ts'
import { confirmCommand } from './confirm-command.ts'
import { denialOf, groundsOf, NOT_SEEN_WHOLE } from './denial.ts'
import type { Grounds, Guard, GuardedSession, GuardOf, Unit, Verdict } from './guard.ts'
import { judge, placeOf, type Ruling } from './judgement.ts'
import type { RuleSet } from './rule-set.ts'
import { type HeldRules, SessionRules } from './session-rules.ts'
import { isForShell } from './shell-protocols.ts'

/** Programs in containers are read by a shell as well; requests to a cluster are not. */
const isReadByShell = ({ session: { protocol }, kind }: GuardedSession) =>
  isForShell(protocol) || (protocol === 'k8s' && kind === 'terminal')
/** Judging takes a fraction of a millisecond; from here on the text was made to take longer. */
const SLOW_MS = 10
/** The sender waits so many times as long: nobody can keep this node busy. */
const REST = 10
const ALLOWED: Verdict = { action: 'allow' }

/**
 * Judges by the command rules that administrators wrote, as they are now: a change is obeyed within
 * a second, also in sessions that are open.
 */
export function ruleGuard(kernel: Kernel): GuardOf {
  const rules = new SessionRules(kernel)
  return (guarded) => new RuleGuard(kernel, rules, guarded)
}

class RuleGuard implements Guard {
  readonly #kernel: Kernel
  readonly #rules: SessionRules
  readonly #guarded: GuardedSession
  readonly #isReadByShell: boolean
  /** Rules of everybody who types here, by their id. */
  readonly #held = new Map<string, HeldRules>()
  readonly #own: HeldRules
  /** Those who may type as well, as often as they are in the session. */
  readonly #guests = new Set<{ rules: HeldRules }>()
  /** Until when nothing is judged; see REST. */
  #restsUntil = 0

  constructor(kernel: Kernel, rules: SessionRules, guarded: GuardedSession) {
    this.#kernel = kernel
    this.#rules = rules
    this.#guarded = guarded
    this.#isReadByShell = isReadByShell(guarded)
    this.#own = this.#rulesOf(guarded.person.id)
  }

  get applies(): boolean {
    const isFree = ({ known }: HeldRules) => known?.isEmpty
    return !isFree(this.#own) || [...this.#guests].some(({ rules }) => !isFree(rules))
  }

  joined(userId: string): () => void {
    const rules = this.#rulesOf(userId)
    const present = { rules }
    this.#guests.add(present)
    return () => void this.#guests.delete(present)
  }

  judge(unit: Unit, dropped: AbortSignal): Verdict | Promise<Verdict> {
    const held = this.#rulesOf(unit.by?.id ?? this.#guarded.person.id)
    const rests = this.#restsUntil && this.#restsUntil - performance.now()
    if (rests > 0) return pause(rests, dropped).then(() => this.judge(unit, dropped))
    if (held.known) return this.#judge(held.known, unit, dropped)
    return held.whenKnown().then((known) => this.#judge(known, unit, dropped))
  }

  async refresh(): Promise<void> {
    await Promise.all(Array.from(this.#held.values(), (held) => held.refresh()))
  }

  close(): void {
    for (const held of this.#held.values()) held.release()
    this.#held.clear()
  }

  #rulesOf(userId: string): HeldRules {
    let held = this.#held.get(userId)
    if (!held) {
      const { systemUserId, target } = this.#guarded
      held = this.#rules.hold({ userId, systemUserId, target })
      this.#held.set(userId, held)
    }
    return held
  }

  #judge(set: RuleSet, unit: Unit, dropped: AbortSignal): Verdict | Promise<Verdict> {
    if (set.isEmpty) return ALLOWED
    if (unit.isCut) return { action: 'deny', why: NOT_SEEN_WHOLE }
    if (!this.#isReadByShell && set.isSilentOn(unit.text)) return ALLOWED
    const before = process.threadCpuUsage()
    const judgement = judge(set, unit.text, this.#isReadByShell, !unit.isProgram)
    // Not by the clock: a busy machine that lets us wait is not kept busy by the sender.
    const { user, system } = process.threadCpuUsage(before)
    const took = (user + system) / 1000
    if (took > SLOW_MS) this.#restsUntil = performance.now() + REST * took
    const grounds = groundsOf(judgement)
    if (judgement.action === 'allow') return grounds ? { action: 'allow', grounds } : ALLOWED
    if (judgement.action === 'confirm' && grounds)
      return this.#confirm(unit, grounds, dropped).then((verdict) =>
        verdict.action === 'confirm' ? { ...verdict, place: placeOf(set, judgement) } : verdict,
      )
    if (judgement.isTooSlow) this.#noteTooSlow(judgement)
    return { action: 'deny', why: denialOf(judgement, grounds), grounds }
  }

  #confirm({ by, text, sent = text }: Unit, grounds: Grounds, dropped: AbortSignal): Promise<Verdict> {
    return confirmCommand(this.#kernel, { guarded: this.#guarded, by, grounds, text: sent }, dropped)
  }

  #noteTooSlow({ rule }: Ruling): void {
    this.#kernel.app.log.warn({ rule: rule?.id, session: this.#guarded.session.id }, 'a command rule took too long')
  }
}
