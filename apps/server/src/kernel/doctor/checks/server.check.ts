import { type Check, ok, warning } from '../check.ts'

/** Whether Sallyport runs at all. */
const check: Check = {
  name: 'server',
  title: 'Running server',
  async run({ serverPid, config }) {
    const folder = config.dataDirectory
    if (serverPid === undefined)
      return warning(
        (say) => say('Sallyport does not run on {{folder}}.', { folder }),
        (say) => say('Start it, or name the folder of the installation in SALLYPORT_DATA_DIR.'),
      )
    return ok((say) => say('Sallyport runs on {{folder}}, as process {{pid}}.', { folder, pid: serverPid }))
  },
}
export default check
