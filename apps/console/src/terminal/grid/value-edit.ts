/** A statement that changes a value, before it is run. */
export interface PlannedEdit {
  question: number
  text: string
}

export interface EditOutcome {
  /** Rows that were changed; 0: the row has changed since it was shown. */
  rows: number
  warnings: number
  error?: string | undefined
}

/** Changes one value of a result. */
export interface ValueEdit {
  plan: (value: string | null) => Promise<PlannedEdit>
  run: (planned: PlannedEdit) => Promise<EditOutcome>
  /** Cancels the statement that runs. */
  stop: () => void
}
