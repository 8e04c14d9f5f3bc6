import { translate } from '../../kernel/i18n/translate.ts'
import { StartRefusal } from '../../kernel/start-refusal.ts'

/** Why nothing is imported, in a sentence that readers of the page have in their language. */
export class ImportRefusal extends StartRefusal {
  /** English, with places for the values. */
  readonly sentence: string
  readonly values: Readonly<Record<string, string | number>>

  constructor(sentence: string, values: Readonly<Record<string, string | number>> = {}, options: ErrorOptions = {}) {
    super(translate('en', sentence, values), options)
    this.sentence = sentence
    this.values = values
  }
}
