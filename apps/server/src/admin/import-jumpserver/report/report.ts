/** Values of a sentence's places, `{{name}}`. */
export type Values = Readonly<Record<string, string | number>>

/** A remark about one row; `sentence` is English, with its Chinese in the catalog. */
interface Remark {
  sentence: string
  values: Values
  name: string
}

/** How rows of one kind fared, by number. */
export interface KindCounts {
  /** Rows that were read there. */
  read: number
  added: number
  updated: number
  /** Came with an earlier run, and have not changed there since. */
  same: number
  /** Stay behind. */
  behind: number
}

export interface KindReport extends KindCounts {
  /** English label in plural, such as `Users`. */
  label: string
  /** What changes on the way, and what stays behind: by sentence, with names. */
  changed: ReadonlyMap<string, RemarkGroup>
  stays: ReadonlyMap<string, RemarkGroup>
}

/** Rows about which the same is said. */
export interface RemarkGroup {
  count: number
  /** The first ones; all others are in the count alone. */
  examples: Remark[]
}

/** Names that are kept of one sentence; a report names no more of them. */
export const MOST_NAMES = 2000

/** The effects of an import, kind by kind. The dry run and the run itself have the same ones. */
export class Report {
  readonly kinds: KindNotes[] = []

  /** Begins a kind; the same label again goes on with it. */
  kind(label: string): KindNotes {
    const found = this.kinds.find((one) => one.label === label)
    if (found) return found
    const made = new KindNotes(label)
    this.kinds.push(made)
    return made
  }
}

export class KindNotes implements KindReport {
  read = 0
  added = 0
  updated = 0
  same = 0
  behind = 0
  readonly changed = new Map<string, RemarkGroup>()
  readonly stays = new Map<string, RemarkGroup>()

  readonly label: string
  constructor(label: string) {
    this.label = label
  }

  /** The row comes, but not as it was. */
  changes(name: string, sentence: string, values: Values = {}): void {
    add(this.changed, { name, sentence, values })
  }

  /** The row does not come. */
  staysBehind(name: string, sentence: string, values: Values = {}): void {
    this.behind++
    add(this.stays, { name, sentence, values })
  }

  /** Something about a row that comes does not come. */
  leaves(name: string, sentence: string, values: Values = {}): void {
    add(this.stays, { name, sentence, values })
  }

  /** So many rows that have no names. */
  many(count: number, sentence: string, isLeft = true): void {
    if (count <= 0) return
    const groups = isLeft ? this.stays : this.changed
    const group = groups.get(sentence) ?? { count: 0, examples: [] }
    group.count += count
    groups.set(sentence, group)
  }
}

function add(groups: Map<string, RemarkGroup>, remark: Remark): void {
  const group = groups.get(remark.sentence) ?? { count: 0, examples: [] }
  group.count++
  if (group.examples.length < MOST_NAMES) group.examples.push(remark)
  groups.set(remark.sentence, group)
}
