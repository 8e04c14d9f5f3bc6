import type { ProcessStep } from '../../../domains/tickets/arriving/index.ts'
import type { ImportContext } from '../context.ts'
import { date, int, json, text, uuid } from '../values.ts'

interface Assignee {
  id: string
  display: string
  state: string
}

interface Step {
  level: number
  state: string
  date: string
  assignees: Assignee[]
}

const DECIDED = /^(?:approved|rejected)$/

/** The people who were asked about tickets, level by level, and those who decided. */
export class TheirSteps {
  readonly #steps = new Map<string, Step[]>()
  readonly #names = new Map<string, string>()
  readonly #idOf: (theirs: string) => string | undefined

  private constructor({ ids }: ImportContext) {
    this.#idOf = (theirs) => ids.get('person', theirs)
  }

  static async read(context: ImportContext): Promise<TheirSteps> {
    const { source } = context
    const made = new TheirSteps(context)
    for await (const batch of source.read({ table: 'users.user', columns: ['name', 'username'] }))
      for (const row of batch) made.#names.set(uuid(row.id) ?? '', `${text(row.name, 128)}(${text(row.username, 128)})`)
    const steps = new Map<string, Step>()
    const columns = ['ticket_id', 'level', 'state', 'date_updated']
    for await (const batch of source.read({ table: 'tickets.ticketstep', columns }))
      for (const row of batch) {
        const step = {
          ...{ level: int(row.level, 1, 10, 1), state: row.state ?? '', date: date(row.date_updated) ?? '' },
          assignees: [],
        }
        const ticket = uuid(row.ticket_id) ?? ''
        steps.set(uuid(row.id) ?? '', step)
        const others = made.#steps.get(ticket)
        if (others) others.push(step)
        else made.#steps.set(ticket, [step])
      }
    const assigned = ['step_id', 'assignee_id', 'state']
    for await (const batch of source.read({ table: 'tickets.ticketassignee', columns: assigned }))
      for (const row of batch) {
        const id = uuid(row.assignee_id) ?? ''
        steps
          .get(uuid(row.step_id) ?? '')
          ?.assignees.push({ id, display: made.#names.get(id) ?? '', state: row.state ?? '' })
      }
    return made
  }

  /** `name(username)` of somebody there. */
  nameOf(theirs: string | null | undefined): string {
    return this.#names.get(uuid(theirs) ?? '') ?? ''
  }

  /** The levels of a ticket that is over; `kept` is what version 2.19 has in one column. */
  of(ticket: string, kept: string | null | undefined): ProcessStep[] {
    const steps = this.#steps.get(ticket)
    if (!steps) return this.#ofKept(kept)
    return steps
      .toSorted((one, other) => one.level - other.level)
      .map((step) => {
        const processor = step.assignees.find(({ state }) => DECIDED.test(state))
        return this.#stepOf(step.level, step.state, step.assignees, {
          ...{ date: step.date, id: processor?.id ?? '', display: processor?.display ?? '' },
        })
      })
  }

  #ofKept(kept: string | null | undefined): ProcessStep[] {
    const levels = json(kept)
    return (Array.isArray(levels) ? levels.slice(0, 10) : []).map((one: Record<string, unknown> | null, at) => {
      const list = (value: unknown) =>
        Array.isArray(value) ? value.slice(0, 500).map((each) => text(String(each), 256)) : []
      const names = list(one?.assignees_display)
      const assignees = list(one?.assignees).map((id, index) => ({
        id: uuid(id) ?? '',
        display: names[index] ?? '',
        state: '',
      }))
      return this.#stepOf(at + 1, text(String(one?.state ?? ''), 16), assignees, {
        date: date(text(String(one?.approval_date ?? ''), 64)) ?? '',
        id: uuid(text(String(one?.processor ?? ''), 64)) ?? '',
        display: text(String(one?.processor_display ?? ''), 256),
      })
    })
  }

  #stepOf(
    level: number,
    state: string,
    assignees: readonly Assignee[],
    processor: { date: string; id: string; display: string },
  ): ProcessStep {
    const isDecided = DECIDED.test(state)
    return {
      approval_level: level,
      state: isDecided ? (state as ProcessStep['state']) : 'closed',
      assignees: assignees.flatMap(({ id }) => this.#idOf(id) ?? []),
      assignees_display: assignees.map(({ display }) => display).filter(Boolean),
      approval_date: isDecided ? processor.date : '',
      processor: isDecided ? (this.#idOf(processor.id) ?? '') : '',
      processor_display: isDecided ? processor.display : '',
    }
  }
}
