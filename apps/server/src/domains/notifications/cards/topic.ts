/** The subject of a card: something that others may settle. */
export interface CardTopic {
  topic: string
  /** The part of it that this card asks about, such as a level. */
  part: number
}
