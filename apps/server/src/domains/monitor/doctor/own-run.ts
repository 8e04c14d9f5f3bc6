import type { NodeHealth } from '@sallyport/contract/resources/monitor/doctor.ts'
import type { Call } from '../../../kernel/access/call.ts'
import { awaitedLater } from '../../../kernel/background.ts'
import type { Check } from '../../../kernel/doctor/check.ts'
import { type Finding, inWords, runChecks, sortFindings } from '../../../kernel/doctor/run-checks.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { formatDateTime } from '../../../kernel/resource/datetime.ts'
import { placeOfServer } from './server-place.ts'

/** The last run of this node's checks; nothing of it is stored. */
export interface OwnRun {
  /** Begins a run, unless one goes on: a node makes one at a time. Settles once it has begun. */
  begin(): Promise<void>
  /** Waits for the end of the run that goes on, or of a first one. */
  ended(): Promise<void>
  /** How it stands, in the caller's language. */
  shown(call: Call): NodeHealth
}

/** `load` answers the checks, the same each time. */
export function createOwnRun(kernel: Kernel, load: () => Promise<readonly Check[]>): OwnRun {
  let findings: Finding[] = []
  let total = 0
  let done = 0
  let started: Date | undefined
  let finished: Date | undefined
  let running: Promise<void> | undefined

  const run = async (checks: readonly Check[]) => {
    findings = []
    total = checks.length
    done = 0
    started = new Date()
    finished = undefined
    await runChecks(checks, placeOfServer(kernel), (more) => {
      findings = sortFindings([...findings, ...more])
      done++
    })
    finished = new Date()
    running = undefined
  }
  const begin = async () => {
    const checks = await load()
    running ??= awaitedLater(run(checks))
  }
  return {
    begin,
    async ended() {
      if (!finished) await begin()
      await running
    },
    shown({ language, timeZone }) {
      const date = (one: Date | undefined) => (one ? formatDateTime(one, timeZone) : null)
      return {
        id: kernel.nodes.id,
        name: kernel.nodes.name,
        state: running ? 'running' : finished ? 'done' : 'never',
        date_started: date(started),
        date_finished: date(finished),
        total,
        done,
        findings: findings.map((finding) => inWords(finding, language)),
      }
    },
  }
}
