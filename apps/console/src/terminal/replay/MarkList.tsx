import { t } from '../../lib/i18n.ts'
import type { Marker } from './markers.ts'
import { clock } from './recording.ts'

export interface MarkListProps {
  markers: readonly Marker[]
  /** Gets the second of the recording. */
  onSeek: (seconds: number) => void
}

/** What happened beside the picture of a desktop; a click jumps there. Keys are on the time line alone. */
export function MarkList({ markers, onSeek }: MarkListProps) {
  const events = markers.filter(({ keys }) => keys === undefined)
  return (
    <nav className="wt-commands" aria-label={t('Events@@recording')}>
      <p className="wt-hint">{t('Click an event to jump to it')}</p>
      {events.length === 0 && <p className="wt-empty">{t('No events@@recording')}</p>}
      {events.map(({ time, label, isDangerous }, n) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          key={n}
          type="button"
          className={isDangerous ? 'wt-command wt-command-danger' : 'wt-command'}
          title={label}
          onClick={() => onSeek(time)}
        >
          <time>{clock(time)}</time>
          <span>{label}</span>
        </button>
      ))}
    </nav>
  )
}
