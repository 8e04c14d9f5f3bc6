/** Every page that exists. A route of the menu without a line here is left out of menu and router. */
import { type PageRegistry, resource } from '../app/registry.ts'

export const PAGES: PageRegistry = {
  ...resource('Label', ['List', 'Create', 'Update'], () => import('./assets/label.tsx').then((m) => m.labelPages)),
}
