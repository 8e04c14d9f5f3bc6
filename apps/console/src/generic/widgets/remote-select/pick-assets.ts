/** A choice that a person is asked to make, and how the answer comes back. */
export interface AssetQuestion {
  /** Already translated. */
  title: string
  /** Ids that are ticked at first. */
  chosen: readonly string[]
  /** Ids that are tied already: ticked, and not to be chosen again. */
  taken?: readonly string[]
  answer: (ids: string[] | undefined) => void
}

let ask: ((question: AssetQuestion) => void) | undefined

/**
 * Lets a person choose assets in a tree and a table; all ids that are ticked in the end, undefined
 * when cancelled.
 */
export function pickAssets(request: Omit<AssetQuestion, 'answer'>): Promise<string[] | undefined> {
  return new Promise((resolve) => ask?.({ ...request, answer: resolve }))
}

/** The shell's dialog answers the questions: it is above the forms and tables that ask them. */
export function onAssetQuestion(show: (question: AssetQuestion) => void): void {
  ask = show
}
