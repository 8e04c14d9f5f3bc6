export { type GivenPlace, setGivenGroups, setGivenRoles } from '../given.ts'
export { renameProvider } from '../managed.ts'
