import { t } from '../../../lib/i18n.ts'

/** In place of the tags that a select does not show: a click, or the keyboard, shows more of them. */
export function MoreTags({ count, onMore }: { count: number; onMore: () => void }) {
  return (
    <button
      type="button"
      className="link"
      // The list stays closed.
      onMouseDown={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.stopPropagation()}
      onClick={onMore}
    >
      {t('{{count}} more', { count })}
    </button>
  )
}
