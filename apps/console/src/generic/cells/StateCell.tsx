import { Status } from '../../design/Status.tsx'
import type { RowState } from '../view/detail-view.ts'

/** How it stands with a row, in one word and one color: lists and heads of details say it alike. */
export function StateCell({ tone, words }: RowState) {
  return <Status tone={tone}>{words}</Status>
}
