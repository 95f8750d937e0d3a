/** The list of everyday words, written by hand; `everyday_words.ts` reads it and says what it is for. */

/** Groups of words; each word of a group may stand for the others. */
export const SAME = `
kid child children
spouse partner
wife spouse
husband spouse
fiance fiancee
mom mum mother
dad father
grandma grandmother granny
grandpa grandfather
aunt auntie
job profession occupation career
employer company firm
colleague coworker teammate
boss manager supervisor
salary wage pay
film movie
tv television
series show
car automobile
bike bicycle
motorbike motorcycle
flat apartment
sofa couch
holiday vacation
trip journey
university college
school class
pupil student
exam test
db database
repo repository
config configuration
prod production
env environment
docs documentation
auth authentication
admin administrator
app application
k8s kubernetes
ci pipeline
pr merge
ram memory
os system
bug issue ticket
release deploy rollout ship
server backend host machine
website site
credential secret
login password
meeting appointment
phone telephone mobile cell
laptop notebook computer
shop store supermarket
doctor physician gp
lawyer attorney
medicine medication drug
surgery operation
buy purchase
begin start
finish complete
rubbish trash garbage bin waste
luggage suitcase bag
plane flight
mail email
fast quick
big large
cheap inexpensive
colour color
favourite favorite
gray grey
autumn fall
football soccer
gift present
error fault
team group squad
client customer
vendor supplier
contract agreement
deadline due
budget funds
colleague peer
nickname name
surname lastname
neighbour neighbor
therapist psychologist
petrol gas fuel
headquarters hq
founded established
canteen cafeteria
package parcel
deliver delivery
refund return
warranty guarantee
upgrade update
teacher tutor instructor
trainer coach
power electricity energy
theatre theater
licence license
`;

/** A question's words, and the words of the statements that answer it. */
export const NARROWER = `
kid child children offspring: daughter son baby toddler twin boy girl
parent: mother father mom mum dad
sibling: brother sister twin
grandparent: grandmother grandfather grandma grandpa
relative family: mother father brother sister daughter son wife husband aunt uncle cousin niece nephew
spouse partner: wife husband married fiance girlfriend boyfriend
wife husband: married
relationship: married divorced engaged girlfriend boyfriend dating
wedding: married marry engaged
anniversary: married wedding
dead death die: died passed funeral
pregnant: expecting baby
pet animal: dog cat puppy kitten rabbit hamster parrot horse fish tortoise
dog breed: puppy retriever labrador poodle terrier beagle corgi dachshund shepherd
cat: kitten
vehicle transport: car bike motorbike motorcycle van truck scooter bus drive
car: drive volvo toyota bmw audi ford tesla honda
commute: bus train bike drive walk tram metro subway cycle
city town country place: live moved
home address: live house flat apartment street road avenue
reside residence: live
neighbourhood neighborhood district area: live
rent: landlord euro month
roommate flatmate housemate: share live
hometown origin native: born grew raised
nationality citizenship: citizen passport born
job profession occupation career employ employer employment living: work
position role title: work lead manage head responsible director engineer manager owner
charge responsible responsibility run: lead manage own head
boss manager supervisor: lead manage report
report: manager boss
owner maintain handle: lead manage responsible own
join hire: started joined
quit leave resign: left resigned
office: desk building floor
remote: home
shift: night morning
colleague: team work
food eat diet meal dish cuisine: allergic vegetarian vegan gluten intolerant meat halal kosher
restriction avoid tolerate: allergic allergy intolerant
allergy intolerance: allergic intolerant
breakfast: cereal toast oatmeal porridge egg coffee morning
lunch dinner supper: eat cook restaurant
snack dessert sweet: chocolate cake cookie ice
restaurant: pizzeria sushi bistro eat
drink beverage: alcohol beer wine coffee tea juice water
beer wine cocktail whisky alcohol: drink
favourite favorite best: love prefer enjoy fan adore
prefer preference: favourite favorite love
love enjoy: favourite favorite fan
hate dislike: stand annoy allergic
fan support: club team
music: band song album singer guitar piano violin drum concert listen jazz rock
band singer musician artist: listen
instrument: guitar piano violin drum flute cello saxophone trumpet ukulele bass
sport exercise workout fitness active: run gym swim yoga tennis football basketball climb cycle hike ski pilates boxing
hobby pastime interest leisure: paint draw read garden knit photography chess bake cook hike sing dance
book novel: read author
movie film: watch
game: play chess xbox playstation nintendo
language tongue: english french german spanish italian portuguese chinese japanese korean russian arabic speak fluent
degree major qualification: study studied graduated bachelor master phd
school university college: study studied graduated attend
subject course: study class teach
grade exam: passed failed
birthday birth: born
age old: born year
tall height: cm metre feet
weigh weight: kg kilo pound
health illness condition disease medical: diagnosed diabetes asthma migraine allergic diabetic
medicine medication: tablet pill prescribed insulin dose
doctor dentist: appointment clinic surgery
pain hurt injury: broke broken sprained injured ache knee back
sleep: bed wake insomnia night
glasses eyesight: shortsighted contact lens
money spend cost price: budget euro dollar pound pay
expensive: cost price
salary earn: euro dollar pound year
debt loan owe: mortgage borrow owe
bank: account card
subscription plan: month renew cancel netflix spotify
insurance: insured policy cover
tax: accountant
reach: email phone slack call message number
phone: iphone pixel android samsung
laptop computer: macbook thinkpad dell mac windows linux
camera: canon nikon sony
size: small medium large
clothes clothing wear: shirt dress jacket coat shoe
furniture: table chair sofa desk bed shelf
fruit: apple banana orange mango pear grape berry
colour color: blue red green black white yellow grey purple orange pink brown
hair: blond brown black curly
day: monday tuesday wednesday thursday friday saturday sunday
weekend: saturday sunday
month: january february march april june july august september october november december
season: spring summer autumn winter
daily: weekday
often frequency: every daily weekly monthly
afternoon evening night: pm
quarter: q1 q2 q3 q4
meeting: standup sync retro retrospective call planning
deadline: due
expire expiry: end renew valid
open hours: close pm
timezone: utc cet est
travel trip holiday vacation visit abroad: fly flew flight went visited going
flight fly airline: airport plane lufthansa ryanair
hotel accommodation stay: booked airbnb room
passport visa: expire
destination: going flight
deploy release ship deployment: argocd helm terraform pipeline jenkins
credential secret: key password token certificate vault
expire change: rotate renew
database storage: postgres postgresql mysql mongodb redis sqlite dynamodb
programming language: python java typescript javascript rust golang kotlin ruby
framework frontend: react vue angular svelte django rails
cloud host hosting provider: aws azure gcp hetzner
ci build: jenkins github gitlab circleci
monitor monitoring alert observability metric: grafana prometheus datadog pagerduty sentry
log: kibana elastic loki
editor ide: vscode vim neovim emacs intellij
queue broker messaging: kafka rabbitmq sqs nats
cache: redis memcached
backup restore: snapshot copy nightly
auth login: okta oauth sso keycloak
test testing: jest playwright cypress pytest
tracker ticket issue: jira linear
chat communicate: slack teams discord
wiki documentation docs: confluence notion
design mockup: figma
code source repo: github gitlab git bitbucket
container: docker kubernetes
payment: stripe paypal
domain dns cdn: cloudflare route53
memory ram: gb gigabyte
disk space: gb tb
slow latency performance speed: ms millisecond second minute
outage incident down downtime: failed crashed postmortem
oncall pager: pagerduty rotation
licence license: mit apache gpl
approve approval authorise sign: approve approved sign
access permission allowed: admin read write only
limit maximum max quota: most
port: 5432 8080
wifi internet network: password router
alarm: code
fix repair: plumber electrician mechanic
leak: plumber
stored located location: drawer shelf cupboard garage attic basement folder bucket
religion faith: muslim christian catholic jewish hindu buddhist church mosque
garden plant: tomato rose herb
volunteer charity: donate shelter
goal aim plan target: want hope learn
learn learning: course lesson class study
fear afraid scared: phobia
habit routine: every usually always
friend buddy: met know knows
neighbour neighbor: door
nickname: called call
teacher tutor coach mentor: teach teaches lesson class
emergency: contact call
blood: group positive negative
vaccine vaccination jab: vaccinated shot
therapist psychologist therapy: session
smoke smoker: cigarette quit
wake: alarm up
bedtime: sleep
parking park: garage space lot
fuel: diesel petrol electric charge
licence license: driving
invest investment stock saving: share fund etf pension
retire retirement: pension
house property: bought mortgage
heating: boiler gas radiator
power energy electricity: provider supplier solar
streaming: netflix spotify disney
podcast radio: listen
museum theatre opera culture: exhibition play ballet
dance: salsa tango ballet
craft: knit sew pottery
collect collection: stamp coin vinyl
outdoor nature: hike camp climb mountain
race marathon: run km kilometre
surname lastname: called
ex: divorced left
seniority level: senior junior lead principal
promotion promoted: became senior
candidate recruit hiring: hire interview
onboarding newcomer: start starts joined
absence away absent: holiday vacation leave back sick
maternity paternity: leave baby
priority milestone roadmap: launch goal target
launch: release ship
estimate duration long: week day hour month minute
migrate migration: move moved moving switch
architecture: microservice monolith
protocol: grpc rest http websocket
encrypt encryption: aes tls
retention: keep kept delete deleted
region datacenter: frankfurt ireland virginia eu us
traffic load: request second
sentry: error
lint linter: eslint prettier
dependency package: npm pnpm yarn pip poetry
branch: main master
review: approve approval pull
vpn: wireguard
printer: print
invoice bill: pay payment net
discount: percent off
stock inventory warehouse: shelf
parcel courier: delivery deliver arrive
warranty: year
headquarters hq based: office located
employee staff headcount workforce: people team
founded: started
audience user: customer
temperature: degree celsius
birthplace: born
citizen: passport
ringtone sound noise: loud
internship: intern
chore household: clean dishes laundry rubbish
clean cleaner: cleaning
babysitter nanny: care
vet: dog cat
vote political politics: party
celebrate party: birthday wedding
souvenir gift present: bought gave
style tone: short brief concise bullet formal
`;
