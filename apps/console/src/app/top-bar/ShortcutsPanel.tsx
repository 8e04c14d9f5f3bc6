import { Button } from '../../design/Button.tsx'
import { Dialog } from '../../design/dialogs/Dialog.tsx'
import { t } from '../../lib/i18n.ts'
import styles from './shortcuts.module.css'

/** What can be done by keys, beside the Tab key and Enter. */
const groups = () => [
  {
    title: t('Everywhere@@keys'),
    keys: [
      [t('Find pages and objects'), 'Ctrl K'],
      [t('Keyboard shortcuts'), 'Ctrl /'],
      [t('Close a dialog or menu'), 'Esc'],
    ],
  },
  {
    title: t('Lists'),
    keys: [
      [t('From row to row'), '↑ ↓'],
      [t('Within a row'), '← →'],
      [t('First and last row'), 'Ctrl Home', 'Ctrl End'],
      [t('Tick the row, on its box'), 'Space'],
    ],
  },
  {
    title: t('Trees'),
    keys: [
      [t('Expand and collapse'), '→ ←'],
      [t('Node menu'), 'Shift F10'],
    ],
  },
  {
    title: t('Tabs and menus'),
    keys: [
      [t('From one to the next'), '← →', '↑ ↓'],
      [t('First and last'), 'Home', 'End'],
    ],
  },
  {
    title: t('Web Terminal'),
    keys: [
      [t('Leave the terminal'), 'Ctrl F6'],
      [t('Find in the terminal'), 'Ctrl Shift F'],
      [t('Leave a desktop'), 'Ctrl Alt Home'],
      [t('Rename a tab, close it'), 'F2', 'Delete'],
    ],
  },
  {
    title: t('Replay@@keys'),
    keys: [
      [t('Play and pause'), 'Space'],
      [t('Five seconds back and forward'), '← →'],
      [t('Slower and faster'), '<', '>'],
      [t('All keys of the player'), '?'],
    ],
  },
]

export function ShortcutsPanel({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title={t('Keyboard shortcuts')}
      width={720}
      onClose={onClose}
      foot={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <div className={styles.shortcuts}>
        {groups().map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([what, ...strokes]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {strokes.map((stroke) => (
                      <kbd key={stroke}>{stroke}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
