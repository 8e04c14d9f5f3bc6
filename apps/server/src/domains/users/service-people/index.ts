export {
  addServicePerson,
  changeServicePerson,
  removeServicePeople,
  type ServiceState,
  serviceStates,
} from '../service-person.ts'
