<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
<CPLEXSolution version="1.2">
 <header
   problemName="unbounded.mps"
   solutionName="incumbent"
   solutionIndex="-1"
   objectiveValue="-2.5"
   solutionTypeValue="3"
   solutionTypeString="primal"
   solutionStatusValue="118"
   solutionStatusString="integer unbounded"
   solutionMethodString="mip"
   primalFeasible="1"
   dualFeasible="0"
   MIPNodes="0"
   MIPIterations="4"
   writeLevel="1"/>
 <quality
   epInt="1.0000000000000001e-05"
   epRHS="9.9999999999999995e-07"
   maxIntInfeas="0"
   maxPrimalInfeas="0"
   maxX="1"
   maxSlack="36"/>
 <linearConstraints>
  <constraint name="at_most(0)" index="0" slack="2.25"/>
  <constraint name="at_most(1)" index="1" slack="13.5"/>
  <constraint name="at_most(2)" index="2" slack="-4"/>
  <constraint name="at_most(3)" index="3" slack="0.050000000000000003"/>
  <constraint name="at_most(4)" index="4" slack="36"/>
 </linearConstraints>
 <variables>
  <variable name="go_left(12,1)" index="0" value="0"/>
  <variable name="go_left(12,3)" index="1" value="0"/>
  <variable name="go_left(13,1)" index="2" value="0"/>
  <variable name="count(1)" index="3" value="0"/>
  <variable name="count(2)" index="4" value="0"/>
  <variable name="coef(1,m2)" index="5" value="0"/>
  <variable name="coef(1,7)" index="6" value="0"/>
  <variable name="slack" index="7" value="0"/>
  <variable name="objective_constant" index="8" value="1"/>
 </variables>
</CPLEXSolution>
