import type { FormValues } from '../view/form-view.ts'

/** Where a value is in a form: names of objects, and places in lists. */
export type Path = readonly (string | number)[]

/** The fault of the value at a place, in words for the person. */
export interface Fault {
  path: Path
  text: string
  /** The server said so: only it knows whether another value is better. */
  refused?: boolean
}

interface FormState {
  values: FormValues
  /** By the id of the field. */
  faults: ReadonlyMap<string, Fault>
  /** Counts how often everything was put back: widgets start over with it. */
  round: number
}

/** Id of the input of the field at a place. */
export const fieldId = (path: Path): string => path.join('_')

/** The values of a form while it is edited, and what is wrong with them. */
export class FormStore {
  #state: FormState
  readonly #listeners = new Set<() => void>()

  constructor(initial: FormValues) {
    this.#state = { values: initial, faults: new Map(), round: 0 }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly state = (): FormState => this.#state

  setValue(path: Path, value: unknown): void {
    this.#change({ values: withValue(this.#state.values, path, value) as FormValues })
  }

  mergeValues(values: FormValues): void {
    this.#change({ values: { ...this.#state.values, ...values } })
  }

  /** Says what is wrong with the field, or with undefined that nothing is. */
  setFault(path: Path, text: string | undefined): void {
    const faults = new Map(this.#state.faults)
    if (text === undefined) faults.delete(fieldId(path))
    else faults.set(fieldId(path), { path, text })
    this.#change({ faults })
  }

  /** Forgets what is wrong with the field, and with anything inside of it. */
  forgetFaults(path: Path): void {
    const isInside = (other: Path) => path.every((part, at) => other[at] === part)
    this.#change({ faults: new Map([...this.#state.faults].filter(([, fault]) => !isInside(fault.path))) })
  }

  setFaults(faults: readonly Fault[]): void {
    this.#change({ faults: new Map(faults.map((fault) => [fieldId(fault.path), fault])) })
  }

  /** Puts everything back as it began. */
  reset(initial: FormValues): void {
    this.#change({ values: initial, faults: new Map(), round: this.#state.round + 1 })
  }

  #change(part: Partial<FormState>): void {
    this.#state = { ...this.#state, ...part }
    for (const listener of this.#listeners) listener()
  }
}

/** A copy with another value at a place. */
function withValue(container: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') {
    const items = Array.isArray(container) ? [...container] : []
    items[key] = withValue(items[key], rest, value)
    return items
  }
  const fields = (container ?? {}) as Readonly<Record<string, unknown>>
  return { ...fields, [key]: withValue(fields[key], rest, value) }
}
