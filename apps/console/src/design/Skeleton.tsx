import { t } from '../lib/i18n.ts'

interface SkeletonProps {
  /** Number of lines of text to come. */
  lines?: number
}

/**
 * Keeps the place of text that is on its way, in about its shape, so that nothing moves when it
 * comes. Read out as "Loading"; it shows only when the wait is longer than a blink.
 */
export function Skeleton({ lines = 3 }: SkeletonProps) {
  return (
    <div className="skeleton" role="status" aria-label={t('Loading')}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else that tells them apart
        <span key={line} style={{ width: `${[92, 74, 83, 61][line % 4]}%` }} />
      ))}
    </div>
  )
}
