import { accessReview } from '@sallyport/contract/resources/reviews/access-review.ts'
import { accessReviewLine } from '@sallyport/contract/resources/reviews/access-review-line.ts'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { api } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget } from '../../lib/query.ts'

/** Lines that one call takes. */
const AT_ONCE = 1000

export interface Decided {
  confirmed: number
  withdrawn: number
  gone: number
}

interface Decision {
  review: string
  lines: readonly string[]
  verdict: 'confirm' | 'withdraw'
  comment?: string
}

/** Sends what somebody decided about any number of grants, and says what became of them. */
export async function decide({ review, lines, ...decision }: Decision): Promise<void> {
  const sum: Decided = { confirmed: 0, withdrawn: 0, gone: 0 }
  try {
    for (let at = 0; at < lines.length; at += AT_ONCE) {
      const body = { ...decision, lines: lines.slice(at, at + AT_ONCE) }
      const done = await api.post<Decided>(`${accessReview.path}${review}/decisions/`, body)
      for (const key of ['confirmed', 'withdrawn', 'gone'] as const) sum[key] += done[key]
    }
  } finally {
    await Promise.all([forget(accessReviewLine.path), forget(accessReview.path)])
  }
  if (lines.length > 1 || sum.gone) showSuccess(wordsOf(sum))
}

const wordsOf = ({ confirmed, withdrawn, gone }: Decided): string =>
  [
    confirmed ? t('{{count|grant|grants}} confirmed', { count: confirmed }) : '',
    withdrawn ? t('{{count|grant|grants}} withdrawn', { count: withdrawn }) : '',
    gone ? t('{{count|grant|grants}} had gone already', { count: gone }) : '',
  ]
    .filter(Boolean)
    .join(', ')

/** Has one person decide about grants; undefined: all reviewers. */
export async function handOver(review: string, lines: readonly string[], reviewer: string | null): Promise<void> {
  for (let at = 0; at < lines.length; at += AT_ONCE)
    await api.post(`${accessReview.path}${review}/assignments/`, { lines: lines.slice(at, at + AT_ONCE), reviewer })
  await Promise.all([forget(accessReviewLine.path), forget(accessReview.path)])
  showSuccess(t('{{count|grant|grants}} handed over', { count: lines.length }))
}
