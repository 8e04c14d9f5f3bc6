import './places.css'
import { Columns2Icon, Grid2x2Icon, SquareIcon } from 'lucide-react'
import { type CSSProperties, type Dispatch, type ReactNode, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Splitter } from '../../design/Splitter.tsx'
import { useMedia } from '../../lib/hooks/use-media.ts'
import { t } from '../../lib/i18n.ts'
import { LAYOUTS, type Layout, layoutOf, placesOf } from './split.ts'
import type { Tab, TabAction, Tabs } from './tabs.ts'

/** Per cent of the room that the first of two parts has. */
const SHARE = { min: 15, max: 85, initial: 50, step: 5 } as const
const NARROW = '(max-width: 700px)'

interface PlaceGridProps {
  tabs: Tabs
  dispatch: Dispatch<TabAction>
  paneOf: (tab: Tab, isShown: boolean) => ReactNode
  /** Content of an empty place beside others. */
  empty: ReactNode
}

/** The panes of all tabs, those of the split beside each other; unseen ones stay as they are. */
export function PlaceGrid({ tabs, dispatch, paneOf, empty }: PlaceGridProps) {
  const box = useRef<HTMLDivElement>(null)
  const [share, setShare] = useState<{ x: number; y: number }>({ x: SHARE.initial, y: SHARE.initial })
  const isNarrow = useMedia(NARROW)
  const places = placesOf(tabs)
  const layout = layoutOf(tabs)
  const styleOf = (place: number) => boxOf(place, layout, isNarrow, share)
  const edges =
    layout === 1 ? [] : layout === 4 ? (['x', 'y'] as const) : isNarrow ? (['y'] as const) : (['x'] as const)
  return (
    <div className="wt-places" ref={box} data-layout={layout}>
      {tabs.list.map((tab) => {
        const place = places.indexOf(tab.id)
        const isShown = place >= 0
        const activate = () => isShown && tab.id !== tabs.active && dispatch({ do: 'activate', id: tab.id })
        return (
          <div
            key={tab.id}
            className="wt-place"
            style={isShown ? styleOf(place) : undefined}
            data-active={layout > 1 && tab.id === tabs.active}
            onPointerDownCapture={activate}
            onFocusCapture={activate}
          >
            {paneOf(tab, isShown)}
          </div>
        )
      })}
      {layout > 1 &&
        places.map(
          (id, place) =>
            id === undefined && (
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: a place is its number
                key={`empty ${place}`}
                className="wt-place wt-place-empty"
                style={styleOf(place)}
                onPointerDownCapture={() => dispatch({ do: 'place', place })}
                onFocusCapture={() => dispatch({ do: 'place', place })}
              >
                {empty}
              </div>
            ),
        )}
      {edges.map((axis) => (
        <Splitter
          key={axis}
          aria-label={axis === 'x' ? t('Width of the left terminals') : t('Height of the upper terminals')}
          orientation={axis === 'x' ? 'vertical' : 'horizontal'}
          className="wt-place-edge"
          style={axis === 'x' ? { left: `${share.x}%` } : { top: `${share.y}%` }}
          value={share[axis]}
          {...SHARE}
          valueAt={(at) => shareAt(box.current, axis, at)}
          onChange={(value) => setShare((now) => ({ ...now, [axis]: value }))}
        />
      ))}
    </div>
  )
}

function shareAt(box: HTMLElement | null, axis: 'x' | 'y', at: { x: number; y: number }): number {
  if (!box) return SHARE.initial
  const { left, top, width, height } = box.getBoundingClientRect()
  const [begin, length] = axis === 'x' ? [left, width] : [top, height]
  return ((at[axis] - begin) / Math.max(1, length)) * 100
}

/** Half of the edge is on each side. */
const HALF_EDGE = '2.5px'

/** The edges of a place: two are beside each other, on a phone below each other. */
function boxOf(place: number, layout: Layout, isNarrow: boolean, { x, y }: { x: number; y: number }): CSSProperties {
  if (layout === 1) return { inset: 0 }
  const isColumns = layout === 4 || !isNarrow
  const isRows = layout === 4 || isNarrow
  const [column, row] = layout === 4 ? [place % 2, Math.floor(place / 2)] : isNarrow ? [0, place] : [place, 0]
  const part = (isParted: boolean, at: number, share: number) =>
    !isParted ? [0, 0] : at === 0 ? [0, `calc(${100 - share}% + ${HALF_EDGE})`] : [`calc(${share}% + ${HALF_EDGE})`, 0]
  const [left, right] = part(isColumns, column, x)
  const [top, bottom] = part(isRows, row, y)
  return { left, right, top, bottom } as CSSProperties
}

const LAYOUT_ICONS: Readonly<Record<Layout, ReactNode>> = {
  1: <SquareIcon />,
  2: <Columns2Icon />,
  4: <Grid2x2Icon />,
}

/** How many terminals are seen beside each other. */
export function LayoutButtons({ tabs, dispatch }: Pick<PlaceGridProps, 'tabs' | 'dispatch'>) {
  const layout = layoutOf(tabs)
  const titles: Readonly<Record<Layout, string>> = {
    1: t('One terminal'),
    2: t('Two beside each other'),
    4: t('Four beside each other'),
  }
  return (
    <fieldset className="wt-layouts" aria-label={t('Terminals beside each other')}>
      {LAYOUTS.map((one) => (
        <Button
          key={one}
          type="text"
          size="small"
          icon={LAYOUT_ICONS[one]}
          aria-label={titles[one]}
          title={titles[one]}
          aria-pressed={one === layout}
          onClick={() => dispatch({ do: 'layout', layout: one })}
        />
      ))}
    </fieldset>
  )
}
