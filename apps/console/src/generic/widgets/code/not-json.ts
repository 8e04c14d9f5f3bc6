/**
 * Text that is not JSON is in the form as this, so that validation sees it and nothing wrong is
 * sent.
 */
export class NotJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
