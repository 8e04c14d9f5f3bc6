import { pause } from '../../../kernel/pause.ts'
import { judgeInTime } from '../../guard/ask-guard.ts'
import { RUNS_UNSEEN } from '../../guard/denial.ts'
import type { Confirmation, Decision, Guard, Verdict } from '../../guard/guard.ts'
import type { Denial } from '../../guard/input-gate.ts'
import { OpenQuotes } from '../../guard/shell/readings.ts'
import { notice } from '../../session/notice.ts'
import type { Typist } from '../../session/typist.ts'
import type { EditedLine } from './commands/edited-line.ts'
import { OpenCommand } from './commands/open-command.ts'
import { fetchingIn, type Place, silentAt } from './commands/silent-keys.ts'
import { EarlierCommands } from './earlier-commands.ts'
import { BRIEF_MS, type Echo } from './echo.ts'
import { disagreeing, hasUnreadKeys, type Part, partsOf, shownTexts } from './shown-texts.ts'

/** A line whose keys don't say what it is must be on the screen by then. Milliseconds. */
const SEEN_MS = 4000
/** How often the screen is looked at meanwhile. */
const LOOK_AGAIN_MS = 50

const ALLOWED: Verdict = { action: 'allow' }
/** Those of ASCII: others are letters here. */
const BLANKS_AROUND = /^[ \t]+|[ \t]+$/g
const CHANGED: Denial = {
  action: 'deny',
  why: notice('denied', 'This is not the line that was approved, so it was not run', {}, 'urgent'),
}
const NOT_SENT: Verdict = { action: 'deny', why: RUNS_UNSEEN }
const UNREADABLE: Verdict = {
  action: 'deny',
  why: notice('unjudged', 'This line could not be read off the screen, so it was not run', {}, 'urgent'),
}

/** Reasons why the guard can't see a line. */
export type Unseen = 'full_screen' | 'no_echo'

/** A line, and who sent it if not the session's person. */
export interface SentLine {
  text: string
  by: Typist | undefined
}

/** A line that was denied, for its row and for clearing it. */
export interface RefusedLine extends SentLine {
  /** A paste is under way. */
  isPasting: boolean
  /** It may have more than one row, or be what a search found. */
  hasRows: boolean
}

export interface LineJudgeOptions {
  guard: Guard
  /** As of a gate; who is to be asked is who typed the line. */
  confirm(confirmation: Confirmation, line: SentLine, dropped: AbortController): Promise<Decision>
  echo: Echo
  /** The line as it is now. Throws when it is unknown. */
  edited(): EditedLine
  /** Something is sent that was not judged. */
  unseen(what: Unseen): void
}

/**
 * Judges the line that a terminal's keys are about to run. A line of mere characters is known from
 * its keys; after any other key (history, completion, search, moves) it is what the screen shows,
 * once that is complete.
 */
export class LineJudge {
  readonly #options: LineJudgeOptions
  readonly #command = new OpenCommand()
  readonly #quotes = new OpenQuotes()
  readonly #earlier = new EarlierCommands()
  /** The line that was judged last. */
  #judged: RefusedLine = { text: '', by: undefined, isPasting: false, hasRows: false }
  #isFullScreenNoted = false
  /** Places where the newest keys do nothing, while they may have done nothing. */
  readonly #silent = new Set<Place>()

  constructor(options: LineJudgeOptions) {
    this.#options = options
  }

  /** Keys go out; undefined: a judged one. */
  sent(keys?: Buffer): void {
    const { echo } = this.#options
    const silent = keys && silentAt(keys)
    // The effect of those before is visible.
    if (silent === undefined || !echo.isSilent) this.#silent.clear()
    if (silent !== undefined) {
      this.#silent.add(silent)
      echo.sentSilently()
    } else echo.sent(keys && fetchingIn(keys))
  }

  /** The line that was judged last goes to the shell, which keeps a command of several as one. */
  ran(): void {
    const line = this.#judged.text
    const whole = this.#command.with(line) ?? line
    this.#command.add(line)
    this.#quotes.add(line)
    if (!this.#command.isOpen) this.#earlier.add(whole)
  }

  /** The line that was judged last is not sent: nor is the rest of its command. */
  refused(by: Typist | undefined): RefusedLine {
    const hasRows = this.#judged.hasRows || this.#command.isOpen
    this.giveUp()
    return { ...this.#judged, by, hasRows }
  }

  /** A command of several lines is not gone on with. */
  giveUp(): void {
    this.#command.clear()
    this.#quotes.clear()
  }

  /** Something is sent that is not looked at. */
  forget(): void {
    this.#earlier.forget()
  }

  /** Whether the line may go; `isPassedOn`: by a key that runs nothing in an empty line. */
  judge(isPassedOn: boolean, by: Typist | undefined, dropped: AbortSignal): Verdict | Promise<Verdict> {
    // A rule that no longer applies holds nothing back.
    if (!this.#options.guard.applies) {
      this.#earlier.forget()
      this.#judged = { ...this.#judged, text: '' }
      return ALLOWED
    }
    const line = this.#options.edited()
    this.#noteFullScreen(line)
    if (isPassedOn && line.isKnown && !line.text) return ALLOWED
    if (!line.isKnown && !line.fullScreen) return this.#judgeShown(by, dropped)
    if (line.isDoubted) return this.#judgeDoubted(by, dropped)
    return line.mayBeKeys && !line.fullScreen && !line.isPasting
      ? this.#judgeLetters(line, by, dropped)
      : this.#judgeKeyed(line, by, dropped)
  }

  /**
   * Letters of other languages, each byte of which is a key to a shell that knows no others (bash
   * with `convert-meta`): the text that is shown instead counts as well. Where nobody can say what
   * is shown there is no line of a shell.
   */
  async #judgeLetters(before: EditedLine, by: Typist | undefined, dropped: AbortSignal): Promise<Verdict> {
    const verdict = await this.#judgeKeyed(before, by, dropped)
    if (verdict.action !== 'allow' || before.isQuestion) return verdict
    const typed = before.text.replace(BLANKS_AROUND, '')
    const { echo, edited } = this.#options
    const late = AbortSignal.any([dropped, AbortSignal.timeout(SEEN_MS)])
    let now = before
    for (let isSettled = false; now.shown.length && !now.shown.includes(typed) && !isSettled; now = edited()) {
      isSettled =
        late.aborted || (await Promise.race([echo.settled(late).then(() => true), pause(LOOK_AGAIN_MS, late)])) === true
    }
    const others = now.fullScreen ? [] : now.shown.filter((one) => one !== '' && one !== typed)
    return others.length ? this.#judgeTexts(now, [before.text, ...others], by, dropped) : verdict
  }

  /** By its keys, and by what the screen shows besides where they may have left something in the line. */
  async #judgeDoubted(by: Typist | undefined, dropped: AbortSignal): Promise<Verdict> {
    const { echo, edited } = this.#options
    await echo.settled(dropped)
    const now = edited()
    const verdict = await this.#judgeKeyed(now, by, dropped)
    const isUnseen = now.isQuestion && !echo.isShown && !echo.isStopped
    const isDecided = verdict.action === 'deny' || now.fullScreen || isUnseen || !now.isDoubted
    return isDecided ? verdict : this.#judgeShown(by, dropped)
  }

  #judgeKeyed(line: EditedLine, by: Typist | undefined, dropped: AbortSignal): Verdict | Promise<Verdict> {
    const others = disagreeing(line)
    const verdict = this.#judgeTexts(line, [line.text, line.withErased, ...others], by, dropped)
    const isUncertain = line.fullScreen || line.isQuestion || line.withErased !== undefined || line.isPasting
    if (!isUncertain && !others.length) return verdict
    if (verdict instanceof Promise) return verdict.then((one) => this.#lookAgain(one, line, by, dropped))
    return this.#lookAgain(verdict, line, by, dropped)
  }

  /** Whether keys may go that run something else; those of a full-screen program are its own affair. */
  judgeOthers(by: Typist | undefined, dropped: AbortSignal): Verdict | Promise<Verdict> {
    const { guard, echo, edited } = this.#options
    if (!guard.applies) return ALLOWED
    const judged = (line: EditedLine) => (line.fullScreen ? ALLOWED : this.#denyUnseen(line, by))
    return echo.settled(dropped, BRIEF_MS).then(() => judged(edited()))
  }

  #denyUnseen({ shown, text }: EditedLine, by: Typist | undefined): Verdict {
    // The rules may only have become known meanwhile.
    if (!this.#options.guard.applies) return ALLOWED
    this.#judged = { text: shown[0] ?? text, by, isPasting: false, hasRows: true }
    return NOT_SENT
  }

  /** Whether a key may go that runs a part of a line that holds such; in other lines it does something else. */
  judgePart(part: Part, by: Typist | undefined, dropped: AbortSignal): Verdict | Promise<Verdict> {
    const { guard, echo, edited } = this.#options
    if (!guard.applies) return ALLOWED
    const judged = (line: EditedLine) => {
      const { isKnown, text, shown, fullScreen, isPasting } = line
      if (fullScreen || isPasting) return ALLOWED
      if (!isKnown && !shown.length) return this.#denyUnseen(line, by)
      const parts = partsOf(part, [...(isKnown ? [text] : []), ...shown])
      if (!parts.length) return ALLOWED
      const verdict = this.#judgeTexts(line, parts, by, dropped)
      this.#judged.hasRows = true
      return verdict
    }
    const line = edited()
    return line.isKnown || line.fullScreen ? judged(line) : echo.settled(dropped, BRIEF_MS).then(() => judged(edited()))
  }

  #judgeTexts(
    { isCut, isPasting }: EditedLine,
    texts: readonly (string | undefined)[],
    by: Typist | undefined,
    dropped: AbortSignal,
  ): Verdict | Promise<Verdict> {
    const { guard } = this.#options
    const [text = ''] = texts
    this.#judged = { text, by, isPasting, hasRows: isPasting || text.includes('\n') }
    const possible = [
      ...texts,
      ...this.#earlier.expansionsOf(text),
      this.#command.with(text),
      ...this.#quotes.with(text),
    ]
    const units = { texts: possible, isCut: isCut || this.#command.isCut, by }
    return judgeInTime(guard, units, dropped)
  }

  /**
   * A text that would not be allowed may be no line for a shell at all, or another one than the
   * keys say: then the screen decides, once the line is on it.
   */
  #lookAgain(
    verdict: Verdict,
    before: EditedLine,
    by: Typist | undefined,
    dropped: AbortSignal,
  ): Verdict | Promise<Verdict> {
    const { echo } = this.#options
    // A key that ends a program passes the rest of its line to the shell.
    if (before.fullScreen && verdict.action === 'allow')
      return echo.settled(dropped, BRIEF_MS).then(() => {
        return this.#options.edited().fullScreen ? verdict : this.#judgeShown(by, dropped)
      })
    if (verdict.action === 'allow') return before.isQuestion ? this.#noteNoEcho(verdict, before, dropped) : verdict
    return echo.settled(dropped).then((isShown) => {
      const line = this.#options.edited()
      if (line.fullScreen) return ALLOWED
      // A line editor shows a paste when it is whole; the return behind it is judged.
      if (before.isPasting) return isShown || verdict.action === 'deny' ? verdict : ALLOWED
      if (line.isQuestion && !isShown && !echo.isStopped) {
        this.#options.unseen('no_echo')
        this.#judged = { ...this.#judged, text: '' }
        return ALLOWED
      }
      if (before.fullScreen || before.withErased !== undefined) return this.#judgeShown(by, dropped)
      // The earlier text may have been a line that was being cleared.
      if (disagreeing(before).length) return this.#judgeTexts(line, [line.text, ...disagreeing(line)], by, dropped)
      return verdict
    })
  }

  /** Any text that is typed without being shown is reported; nobody waits long for that. */
  #noteNoEcho(verdict: Verdict, { text }: EditedLine, dropped: AbortSignal): Verdict | Promise<Verdict> {
    const { echo, unseen } = this.#options
    if (!text || echo.isShown) return verdict
    return echo.settled(dropped, BRIEF_MS).then((isShown) => {
      if (!isShown) unseen('no_echo')
      return verdict
    })
  }

  /** Waits until the line is on the screen, and judges the shown text. */
  async #judgeShown(by: Typist | undefined, dropped: AbortSignal): Promise<Verdict> {
    const { echo, edited } = this.#options
    const late = AbortSignal.any([dropped, AbortSignal.timeout(SEEN_MS)])
    for (let isShown = await echo.settled(dropped); !dropped.aborted; isShown = await echo.settled(dropped)) {
      const line = edited()
      if (line.fullScreen) return ALLOWED
      const [text] = line.shown
      const isRead = text !== undefined && (line.hasEditor || !hasUnreadKeys(text, line.text))
      const isLast = echo.isOfLast && (!line.isUnmoved || echo.isStill)
      if (isShown && isRead && isLast && this.#hasSettled(line)) {
        const verdict = await this.#judgeTexts(line, shownTexts(line), by, dropped)
        this.#judged.hasRows = true
        return verdict
      }
      if (late.aborted || (!isShown && isRead)) break
      await pause(LOOK_AGAIN_MS, late)
    }
    if (!this.#options.guard.applies) return ALLOWED
    this.#judged = { text: edited().shown[0] ?? edited().text, by, isPasting: false, hasRows: false }
    return UNREADABLE
  }

  /** Keys without an echo had no effect, as they have none at the cursor's place. */
  #hasSettled({ isAtBegin, isAtEnd }: EditedLine): boolean {
    if (!this.#options.echo.isSilent) return true
    return (isAtBegin || !this.#silent.has('begin')) && (isAtEnd || !this.#silent.has('end'))
  }

  #noteFullScreen({ fullScreen }: EditedLine): void {
    if (fullScreen && !this.#isFullScreenNoted) this.#options.unseen('full_screen')
    this.#isFullScreenNoted = fullScreen
  }

  /** The text on the screen is what gets approved: a line that has changed meanwhile is not. */
  async confirm(confirmation: Confirmation, dropped: AbortController): Promise<Decision> {
    const { confirm, edited } = this.#options
    await this.#onceShown(dropped.signal)
    const { shown, isKnown } = edited()
    const decision = await confirm(confirmation, this.#judged, dropped)
    if (decision.action === 'deny' || isKnown || edited().shown[0] === shown[0]) return decision
    return { ...CHANGED, grounds: decision.grounds }
  }

  /** A question is put below the line, not into the middle of its echo. */
  async #onceShown(dropped: AbortSignal): Promise<void> {
    const { echo, edited } = this.#options
    const late = AbortSignal.any([dropped, AbortSignal.timeout(SEEN_MS)])
    while ((await echo.settled(dropped)) && !late.aborted) {
      const { text, shown, isKnown } = edited()
      const typed = text.trim()
      if (!isKnown || !shown[0] || shown[0] === typed || !typed.startsWith(shown[0])) return
      await pause(LOOK_AGAIN_MS, late)
    }
  }
}
