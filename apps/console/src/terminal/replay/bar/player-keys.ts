/** The keys of the player, and the list of them that it shows. */
import { t } from '../../../lib/i18n.ts'
import type { Marker } from '../markers.ts'
import { type Playback, SPEED } from '../playback.ts'

const STEP_S = 5
/** A mark so near behind counts as the current one. */
const AT_MARK_S = 0.5

/** Abilities of the player besides playing; undefined ones are missing here. */
export interface PlayerActions {
  toggleFullScreen: () => void
  toggleSmall: (() => void) | undefined
  search: (() => void) | undefined
  showKeys: () => void
}

interface Key {
  /** Names of the keyboard event. */
  keys: readonly string[]
  /** As they are written in the list. */
  shown: string
  what: string
  run: () => void
}

export const changeSpeed = (playback: Playback, steps: number) => playback.setSpeed(playback.speed + steps * SPEED.step)

/** The next mark, or the one before. */
export function markFrom(markers: readonly Marker[], time: number, direction: 1 | -1): Marker | undefined {
  const events = markers.filter(({ keys }) => keys === undefined).sort((a, b) => a.time - b.time)
  return direction > 0
    ? events.find((marker) => marker.time > time)
    : events.findLast((marker) => marker.time < time - AT_MARK_S)
}

/** All keys of a player. `marks` are those of its time line now. */
export function playerKeys(
  playback: Playback,
  duration: number,
  marks: () => readonly Marker[],
  actions: PlayerActions,
): Key[] {
  const toMark = (direction: 1 | -1) => () => {
    const mark = markFrom(marks(), playback.time, direction)
    if (mark) playback.seek(mark.time)
  }
  const key = (shown: string, what: string, run: () => void, ...keys: string[]): Key => ({ shown, what, run, keys })
  const { toggleSmall, search } = actions
  return [
    key(t('Space'), t('Play and pause'), () => playback.toggle(), ' ', 'k'),
    key('←', t('Five seconds back'), () => playback.seek(playback.time - STEP_S), 'ArrowLeft'),
    key('→', t('Five seconds forward'), () => playback.seek(playback.time + STEP_S), 'ArrowRight'),
    key(',', t('One change back'), () => playback.step(-1), ','),
    key('.', t('One change forward'), () => playback.step(1), '.'),
    key('m', t('Next event@@recording'), toMark(1), 'm'),
    key('M', t('Previous event@@recording'), toMark(-1), 'M'),
    key('<', t('Slower'), () => changeSpeed(playback, -1), '<'),
    key('>', t('Faster'), () => changeSpeed(playback, 1), '>'),
    key('i', t('Skip idle time'), () => playback.setSkipIdle(!playback.skipIdle), 'i'),
    key('Home', t('To the beginning'), () => playback.seek(0), 'Home'),
    key('End', t('To the end'), () => playback.seek(duration), 'End'),
    ...(search ? [key('/', t('Search'), search, '/')] : []),
    ...(toggleSmall ? [key('p', t('Small window'), toggleSmall, 'p')] : []),
    key('f', t('Full screen'), actions.toggleFullScreen, 'f'),
    key('?', t('Keys of the player'), actions.showKeys, '?'),
  ]
}

/** Listens to them; returns a function that stops it. */
export function listenToKeys(within: HTMLElement | Document, keys: readonly Key[]): () => void {
  const actions = new Map(keys.flatMap(({ keys: names, run }) => names.map((name) => [name, run] as const)))
  const onKey = (event: Event) => {
    if (!('key' in event)) return
    const pressed = event as KeyboardEvent
    const action = actions.get(pressed.key)
    if (!action || pressed.ctrlKey || pressed.altKey || pressed.metaKey || isForItself(pressed)) return
    event.preventDefault()
    action()
  }
  within.addEventListener('keydown', onKey)
  return () => within.removeEventListener('keydown', onKey)
}

/**
 * Whether what has the focus needs the key: fields all of them, menus arrows and the like, buttons and boxes
 * the space bar.
 */
function isForItself({ key, target }: KeyboardEvent): boolean {
  const element = target as HTMLElement | null
  if (!element || !('matches' in element)) return false
  if (element.matches('.rp-stage *, .rp-line')) return false
  if (element.closest('[role=menu]')) return true
  if (element.matches('input[type=checkbox], button, a, [role=button], summary')) return key === ' '
  return element.matches('input, textarea, select') || element.isContentEditable
}
