/** What POST /api/v1/assets/cmd-filters/try/ answers: which rule decides about a command. */
export interface CommandTrial extends TriedPart {
  /** Reviewers who would confirm it, as Name(username); empty where none is asked or left. */
  reviewers: string[]
  /** The simple commands in it, each judged by itself. */
  parts: TriedPart[]
}

export interface TriedPart {
  /** With quotes, variables and the like resolved. */
  text: string
  /** As it is in what was tried. */
  source: string
  action: 'allow' | 'deny' | 'confirm'
  /** Null where none is about it. */
  rule: TriedRule | null
  /** The part that the rule matched. */
  match: string
  /** Why, where that is not the rule alone, in the caller's language; empty otherwise. */
  reason: string
}

export interface TriedRule {
  id: string
  /** Id of its filter. */
  filter: string
  filter_name: string
  /** 0 deny, 2 confirm, 9 allow. */
  action: number
  priority: number
}
