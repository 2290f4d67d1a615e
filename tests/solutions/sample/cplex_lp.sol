<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
<CPLEXSolution version="1.2">
 <header
   problemName="lp.mps"
   objectiveValue="-40.312571428571431"
   solutionTypeValue="1"
   solutionTypeString="basic"
   solutionStatusValue="1"
   solutionStatusString="optimal"
   solutionMethodString="dual"
   primalFeasible="1"
   dualFeasible="1"
   simplexIterations="1"
   writeLevel="1"/>
 <quality
   epRHS="9.9999999999999995e-07"
   epOpt="9.9999999999999995e-07"
   maxPrimalInfeas="0"
   maxDualInfeas="0"
   maxPrimalResidual="2.9036289431877416e-18"
   maxDualResidual="0"
   maxX="19.5"
   maxPi="2"
   maxSlack="8.5"
   maxRedCost="2.5"
   kappa="1.5833333333333335"/>
 <linearConstraints>
  <constraint name="at_most(0)" index="0" status="LL" slack="0" dual="-2"/>
  <constraint name="at_most(1)" index="1" status="LL" slack="0" dual="-0.125"/>
  <constraint name="at_most(2)" index="2" status="BS" slack="-8.5" dual="-0"/>
  <constraint name="at_most(3)" index="3" status="LL" slack="0" dual="-0.0014285714285714286"/>
  <constraint name="at_most(4)" index="4" status="LL" slack="0" dual="-0.125"/>
 </linearConstraints>
 <variables>
  <variable name="go_left(12,1)" index="0" status="UL" value="1" reducedCost="-2.125"/>
  <variable name="go_left(12,3)" index="1" status="BS" value="0.25" reducedCost="0"/>
  <variable name="go_left(13,1)" index="2" status="UL" value="1" reducedCost="-2"/>
  <variable name="count(1)" index="3" status="BS" value="5" reducedCost="0"/>
  <variable name="count(2)" index="4" status="UL" value="9" reducedCost="-2"/>
  <variable name="coef(1,m2)" index="5" status="LL" value="-5" reducedCost="1"/>
  <variable name="coef(1,7)" index="6" status="BS" value="-7.1428571428571437e-08" reducedCost="0"/>
  <variable name="slack" index="7" status="BS" value="19.5" reducedCost="0"/>
  <variable name="objective_constant" index="8" status="UL" value="1" reducedCost="-2.5"/>
 </variables>
</CPLEXSolution>
